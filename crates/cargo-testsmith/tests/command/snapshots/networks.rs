// Random networks, compared by their snapshots and by trying all ways to match their stations: stands
// behind the tests of either copy.

/// Stations and ways, the first of them where one begins.
#[derive(Clone, Debug)]
struct Network {
    zones: Vec<u8>,
    ways: Vec<[Option<usize>; 2]>,
}

impl Network {
    /// One by chance, of up to four stations.
    fn random(draw: &mut impl FnMut(usize) -> usize) -> Network {
        let n = 1 + draw(4);
        let zones = (0..n).map(|_| draw(2) as u8).collect();
        let mut way = || Some(draw(n + 1)).filter(|to| *to < n);
        let ways = (0..n).map(|_| [way(), way()]).collect();
        Network { zones, ways }
    }

    /// The same with its stations in another order, but for the first.
    fn shuffled(&self, draw: &mut impl FnMut(usize) -> usize) -> Network {
        let n = self.zones.len();
        // Where each station goes.
        let mut place: Vec<usize> = (0..n).collect();
        for i in (2..n).rev() {
            place.swap(i, 1 + draw(i));
        }
        let mut other = self.clone();
        for (from, to) in place.iter().enumerate() {
            other.zones[*to] = self.zones[from];
            other.ways[*to] = self.ways[from].map(|it| it.map(|it| place[it]));
        }
        other
    }

    /// Stations that one can get to.
    fn reached(&self) -> Vec<usize> {
        let mut reached = vec![0];
        let mut at = 0;
        while let Some(station) = reached.get(at).copied() {
            for to in self.ways[station].into_iter().flatten() {
                if !reached.contains(&to) {
                    reached.push(to);
                }
            }
            at += 1;
        }
        reached
    }

    /// Is there any way to match stations that one can get to, zones and ways and all? By trying all.
    fn is_isomorphic(&self, other: &Network) -> bool {
        let (ours, mut theirs) = (self.reached(), other.reached());
        ours.len() == theirs.len() && self.matches(other, &ours, &mut theirs, 0)
    }

    fn matches(&self, other: &Network, ours: &[usize], theirs: &mut [usize], at: usize) -> bool {
        if at == ours.len() {
            let image = |station: usize| {
                let at = ours.iter().position(|it| *it == station);
                theirs[at.expect("it is reached")]
            };
            return image(0) == 0
                && ours.iter().all(|it| {
                    let ways = self.ways[*it].map(|to| to.map(image));
                    self.zones[*it] == other.zones[image(*it)] && ways == other.ways[image(*it)]
                });
        }
        (at..theirs.len()).any(|i| {
            theirs.swap(at, i);
            let is_match = self.matches(other, ours, theirs, at + 1);
            theirs.swap(at, i);
            is_match
        })
    }
}

#[test]
fn networks_look_alike_if_they_are_isomorphic() {
    let mut seed = 1u64;
    let mut draw = |below: usize| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) as usize % below
    };
    let snapshot = |it: &Network| {
        let station = Station::network(&it.zones, &it.ways).expect("there is a first");
        let (flags, bytes) = seen(&station);
        assert_eq!(flags, 0);
        bytes
    };
    let mut n_alike = [0, 0];
    for _ in 0..20_000 {
        let one = Network::random(&mut draw);
        let other = match draw(4) {
            0 => one.shuffled(&mut draw),
            _ => Network::random(&mut draw),
        };
        let is_isomorphic = one.is_isomorphic(&other);
        assert_eq!(snapshot(&one) == snapshot(&other), is_isomorphic, "{one:?} {other:?}");
        n_alike[usize::from(is_isomorphic)] += 1;
    }
    assert!(n_alike.iter().all(|n| *n > 1_000), "{n_alike:?}");
}
