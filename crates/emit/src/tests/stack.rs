//! The crate that the printer's tests are about; rustc compiles it to judge them.

#[derive(Clone, Debug, PartialEq, Default)]
pub struct Stack {
    items: Vec<u8>,
}

#[derive(Debug)]
pub struct ParseError;

impl Stack {
    pub const EMPTY: Stack = Stack { items: Vec::new() };
    pub fn new() -> Stack {
        Stack::EMPTY
    }
    pub fn from_slice(items: &[u8]) -> Stack {
        let items = items.to_vec();
        Stack { items }
    }
    pub fn parse(text: &str) -> Result<Stack, ParseError> {
        let digits = text.chars().map(|c| c.to_digit(10).map(|n| n as u8));
        let items = digits.collect::<Option<_>>().ok_or(ParseError)?;
        Ok(Stack { items })
    }
    pub fn digits(&self) -> String {
        self.items.iter().map(|it| it.to_string()).collect()
    }
    pub fn push(&mut self, item: u8) {
        self.items.push(item);
    }
    pub fn pop(&mut self) -> Option<u8> {
        self.items.pop()
    }
    pub fn peek(&self) -> Option<&u8> {
        self.items.last()
    }
    pub fn figure(&self) -> Figure {
        Figure::Pile(self.clone())
    }
    #[must_use]
    pub fn len(&self) -> usize {
        self.items.len()
    }
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
    pub fn with(mut self, item: u8) -> Stack {
        self.items.push(item);
        self
    }
    pub fn into_vec(self) -> Vec<u8> {
        self.items
    }
    pub fn starts_with(&self, other: &Stack) -> bool {
        self.items.starts_with(&other.items)
    }
    pub fn first_mut(&mut self) -> Option<&mut u8> {
        self.items.first_mut()
    }
    pub fn drain(&mut self) -> Drain<'_> {
        Drain(self)
    }
    pub fn at(&self, index: usize) -> u8 {
        self.items[index]
    }
    pub fn label(&self) -> String {
        format!("{:?}", self.items)
    }
    #[deprecated]
    pub fn size(&self) -> usize {
        self.items.len()
    }
}

impl std::str::FromStr for Stack {
    type Err = ParseError;
    fn from_str(text: &str) -> Result<Stack, ParseError> {
        Stack::parse(text)
    }
}

pub struct Drain<'a>(&'a mut Stack);

impl Drop for Drain<'_> {
    fn drop(&mut self) {
        self.0.items.clear();
    }
}

impl Iterator for Drain<'_> {
    type Item = u8;
    fn next(&mut self) -> Option<u8> {
        self.0.pop()
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    pub x: i32,
    pub y: i32,
}

impl std::ops::Add for Point {
    type Output = Point;
    fn add(self, other: Point) -> Point {
        Point {
            x: self.x + other.x,
            y: self.y + other.y,
        }
    }
}

impl std::ops::AddAssign<i32> for Point {
    fn add_assign(&mut self, n: i32) {
        self.x += n;
        self.y += n;
    }
}

impl std::ops::Neg for Point {
    type Output = Point;
    fn neg(self) -> Point {
        Point {
            x: -self.x,
            y: -self.y,
        }
    }
}

impl std::ops::Index<usize> for Point {
    type Output = i32;
    fn index(&self, index: usize) -> &i32 {
        if index == 0 { &self.x } else { &self.y }
    }
}

/// Not comparable.
pub enum Figure {
    Dot,
    Segment(Point, Point),
    Pile(Stack),
}

pub trait Area {
    fn area(&self) -> u32;
    fn unit() -> Self;
    fn len(&self) -> usize;
}

impl Area for Stack {
    fn area(&self) -> u32 {
        self.items.len() as u32
    }
    fn unit() -> Stack {
        Stack::new()
    }
    fn len(&self) -> usize {
        1
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Pair<T> {
    items: Vec<T>,
}

impl<T> Pair<T> {
    pub fn new() -> Pair<T> {
        Pair { items: Vec::new() }
    }
    pub fn of(a: T, b: T) -> Pair<T> {
        Pair { items: vec![a, b] }
    }
    pub fn count(&self) -> usize {
        self.items.len()
    }
}

pub const LIMIT: usize = 7;

pub fn average(numbers: &[f64]) -> f64 {
    numbers.iter().sum::<f64>() / numbers.len() as f64
}

pub fn join(parts: Vec<String>, separator: char) -> String {
    parts.join(&separator.to_string())
}
