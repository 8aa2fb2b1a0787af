use krate::{Host, Url};

fn value(random: &mut Random, judge: &mut Judge) {
    let scheme = random.one(&["http", "ftp", "file", "mailto", "data"]);
    let host = random.one(&["a.b", "127.0.0.1", "[::1]", "x%20", ""]);
    let (user, port) = (random.one(&["", "me@", "me:pw@"]), random.one(&["", ":80", ":8080"]));
    let text = format!("{scheme}://{user}{host}{port}/{}?{}#{}", random.text(), random.text(), random.text());
    let url = Url::parse(&text);
    judge.equal(&url);
    judge.equal(&Host::parse(&random.text()));
    let Ok(mut url) = url else { return };
    judge.equal(&url.host().map(|it| it.to_owned()));
    judge.equal(&url.origin());
    url.set_fragment(None);
    url.query_pairs_mut().append_pair(&random.text(), "x");
    judge.equal(&url);
}
