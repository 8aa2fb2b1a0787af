//! The function that drives a future to its end.
//!
//! **Futures are values, too.** An `async fn` gives `impl Future`, kept as a pinned box; what it
//! gives in the end is asked of a stand-in function that polls a hundred times with a waker that
//! does nothing. That is no runtime: whoever waits for a timer or a socket is pending for ever
//! here, and that is what the test says.

use std::sync::Arc;

use crate::api::Api;
use crate::api::{STAND_INS, StandIn};
use crate::ty::Ty;

/// Futures that are still pending after so many polls are given up.
const MAX_POLLS: u32 = 100;

const NAME: &str = "block_on";

impl Api {
    /// Adds the function that drives futures, if there are any.
    pub fn add_executor(&mut self) {
        let is_future = |path: &str| path == "std::future::Future";
        let gives_future = |ty: &Ty| {
            ty.any(&mut |node| match node {
                Ty::Opaque { traits } | Ty::Dyn { traits, .. } => {
                    traits.iter().any(|it| is_future(&it.path))
                }
                _ => false,
            })
        };
        let mut outputs = self.callables.iter().map(|callable| &callable.output);
        let mut impls = self.impls.iter();
        let mut methods = self.traits.values().flat_map(|it| &it.methods);
        let has_futures = outputs.any(gives_future)
            || impls.any(|it| is_future(&it.trait_.path))
            || methods.any(|it| it.is_async || gives_future(&it.output));
        if !has_futures {
            return;
        }
        let name = self.free_name(NAME);
        let items = vec![format!(
            "pub fn {name}<F: ::std::future::Future>(future: F) -> Option<F::Output> {{ \
             let mut future = ::std::pin::pin!(future); \
             let mut context = ::std::task::Context::from_waker(::std::task::Waker::noop()); \
             for _ in 0..{MAX_POLLS} {{ \
             if let ::std::task::Poll::Ready(output) = ::std::future::Future::poll(future.as_mut(), &mut context) {{ \
             return Some(output); }} }} None }}"
        )];
        let about = format!(
            "What the future gives in the end, unless it is still pending after {MAX_POLLS} polls."
        );
        self.stand_ins.push(StandIn {
            name,
            about: about.into(),
            items,
            traits: Vec::new(),
            wanted: NAME.into(),
        });
        self.name_stand_ins();
    }

    /// The path of the function that drives futures.
    pub(crate) fn executor(&self) -> Option<Arc<str>> {
        let found = self.stand_ins.iter().find(|it| &*it.wanted == NAME);
        found.map(|it| it.path().into())
    }

    pub(super) fn name_stand_ins(&mut self) {
        if !self.dependencies.iter().any(|it| **it == *STAND_INS) {
            self.dependencies.push(STAND_INS.into());
        }
    }
}
