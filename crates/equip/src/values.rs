//! The values that the user allows parameters to have: from settings to positions of callables.

use serde::Deserialize;
use testsmith_api::{CallableId, Catalogue, Origin, Ty};
use testsmith_explore::{Allowed, Rng};
use testsmith_protocol::Value;

use crate::error::EquipError;
use crate::filter::matches;

/// The allowed values of one parameter, as the settings say it: exactly one of the fields is set.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ParameterValues {
    /// As `0..10`.
    range: Option<String>,
    /// As `[1, 2]`.
    values: Option<Vec<serde_json::Value>>,
    /// As `[a-z]+`.
    pattern: Option<String>,
}

/// The allowed values of parameters, by callable and position.
pub type Limited = Vec<((CallableId, usize), Allowed)>;

impl ParameterValues {
    fn allowed(&self) -> Result<Allowed, String> {
        match (&self.range, &self.values, &self.pattern) {
            (Some(range), None, None) => Allowed::range(range),
            (None, Some(values), None) => {
                let values: Option<Vec<Value>> = values.iter().map(value).collect();
                match values {
                    Some(values) if !values.is_empty() => Ok(Allowed::OneOf(values)),
                    _ => {
                        Err("`values` is a list of numbers, texts, flags, or lists of them".into())
                    }
                }
            }
            (None, None, Some(pattern)) => Allowed::pattern(pattern),
            _ => Err("say one of `range`, `values` and `pattern`".into()),
        }
    }
}

fn value(written: &serde_json::Value) -> Option<Value> {
    Some(match written {
        serde_json::Value::Bool(flag) => Value::Bool(*flag),
        serde_json::Value::Number(number) => match number.as_i64() {
            Some(number) => Value::Int(number.into()),
            None => Value::F64(number.as_f64()?.to_bits()),
        },
        serde_json::Value::String(text) => Value::Str(text.clone()),
        serde_json::Value::Array(parts) => {
            Value::List(parts.iter().map(value).collect::<Option<_>>()?)
        }
        _ => return None,
    })
}

/// Finds the parameters that the settings name. A name that no parameter has, and values that do
/// not fit the parameter's type, are errors: they would limit nothing.
pub(crate) fn limited(
    catalogue: &Catalogue,
    settings: &[(String, ParameterValues)],
) -> Result<Limited, EquipError> {
    let mut limited = Vec::new();
    for (name, setting) in settings {
        let refuse = |why: String| EquipError::Values {
            name: name.clone(),
            why,
        };
        let allowed = setting.allowed().map_err(refuse)?;
        let (pattern, parameter) = name
            .rsplit_once('.')
            .ok_or_else(|| refuse("write it like `Type::function.parameter`".into()))?;
        let n_callables = catalogue.api.callables.len() + catalogue.api.beside.len();
        let ids = (0..n_callables as u32).map(CallableId);
        let is_meant = |id: &CallableId| matches(pattern, catalogue.api.callable(*id));
        let meant: Vec<CallableId> = ids.filter(is_meant).collect();
        let n_before = limited.len();
        for id in &meant {
            let inputs = catalogue.api.callable(*id).inputs.iter();
            let inputs = inputs.enumerate().filter(|(_, it)| *it.name == *parameter);
            limited.extend(inputs.map(|(i, _)| ((*id, i), allowed.clone())));
        }
        let found = &limited[n_before..];
        if found.is_empty() {
            let why = match meant.is_empty() {
                true => format!("nothing matches `{pattern}`"),
                false => format!("nothing that matches `{pattern}` has a parameter `{parameter}`"),
            };
            return Err(refuse(why));
        }
        let is_any = |is_it: &dyn Fn(&Allowed, &Ty) -> bool| {
            let mut found = found.iter();
            found.any(|(at, allowed)| is_of_any_type(catalogue, *at, &|ty| is_it(allowed, ty)))
        };
        if !is_any(&|allowed, ty| allowed.value(ty, &mut Rng::new(0)).is_some()) {
            let why = "no such value fits the type of the parameter";
            return Err(refuse(why.into()));
        }
        if !is_any(&Allowed::is_within) {
            let why = "the type of the parameter does not have all of these values";
            return Err(refuse(why.into()));
        }
    }
    Ok(limited)
}

/// Is there an operation of the callable whose parameter has such a type?
fn is_of_any_type(
    catalogue: &Catalogue,
    (callable, input): (CallableId, usize),
    is_it: &dyn Fn(&Ty) -> bool,
) -> bool {
    let is_of = |origin: Origin| match origin {
        Origin::Callable(id) | Origin::Beside(id) => id == callable,
        Origin::Recipe | Origin::Law => false,
    };
    let operations = catalogue.operations.iter().filter(|it| is_of(it.origin));
    let mut types = operations.filter_map(|it| {
        let mut inputs = (0..).zip(&it.signature.inputs);
        inputs.find_map(|(i, of)| (it.parameter(i) == input).then_some(of))
    });
    types.any(|it| is_it(&catalogue.types.get(it.ty.ty).ty))
}
