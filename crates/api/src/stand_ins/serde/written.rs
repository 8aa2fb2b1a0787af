pub fn written<T: ::serde::ser::Serialize + ?Sized>(value: &T) -> ::stand_ins::FromText {
    ::stand_ins::FromText(value.serialize(::stand_ins::ToText).unwrap())
}
