use krate::{Version, VersionReq};

fn value(random: &mut Random, judge: &mut Judge) {
    let (major, minor) = (random.below(1 << 40), random.below(5));
    let rest = random.one(&["", "-alpha.1", "+build", "-a.b-c.0+long.enough.to.allocate", "x"]);
    judge.equal(&Version::parse(&format!("{major}.{minor}.1{rest}")).ok());
    judge.equal(&Version::parse(&random.text()).map_err(|it| it.to_string()));
    let asked: &&str = random.one(&["*", ">=1.2, <2", "~1.2.3-pre", "^0"]);
    judge.equal(&VersionReq::parse(asked).ok());
}
