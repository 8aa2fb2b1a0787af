use testsmith_protocol::Value;

use super::*;

/// Reads what the host would write for the value.
fn decoded<T: Literal>(value: &Value) -> Result<T, WireError> {
    let mut bytes = Vec::new();
    value.encode(&mut bytes);
    T::decode(&mut Reader::new(&bytes))
}

#[test]
fn what_the_host_writes_is_what_the_guest_reads() {
    assert_eq!(decoded(&Value::Int(-3)), Ok(-3i8));
    assert_eq!(decoded(&Value::UInt(u128::MAX)), Ok(u128::MAX));
    assert_eq!(decoded(&Value::Str("äb".into())), Ok("äb"));
    let list = Value::List(vec![Value::UInt(1), Value::UInt(2)]);
    assert_eq!(decoded(&list), Ok(vec![1u8, 2]));
    assert_eq!(decoded(&list), Ok([1u16, 2]));
    assert_eq!(decoded(&Value::none()), Ok(None::<u8>));
    assert_eq!(decoded(&Value::some(Value::Int(5))), Ok(Some(5i32)));
}

#[test]
fn literal_of_another_kind_is_an_error() {
    assert_eq!(decoded::<u8>(&Value::Int(3)), Err(WireError::Tag(tag::INT)));
    assert_eq!(
        decoded::<String>(&Value::UInt(3)),
        Err(WireError::Tag(tag::UINT))
    );
}

#[test]
fn array_of_another_length_is_an_error() {
    let list = Value::List(vec![Value::UInt(1)]);
    assert_eq!(decoded::<[u8; 2]>(&list), Err(WireError::Short));
}
