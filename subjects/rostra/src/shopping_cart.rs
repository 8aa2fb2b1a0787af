//! A shopping cart of products.

use std::error::Error;
use std::fmt;

/// Something to buy, with a title and a price.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Product {
    title: String,
    price: u32,
}

impl Product {
    /// Creates a product with a price in cents. The Java class has prices in
    /// floating point, which would make it doubtful when two carts are equal.
    pub fn new(title: &str, price: u32) -> Product {
        Product {
            title: title.to_string(),
            price,
        }
    }

    /// Returns the title.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Returns the price in cents.
    pub fn price(&self) -> u32 {
        self.price
    }
}

/// The error of removing a product that is not in the cart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProductNotFound;

impl fmt::Display for ProductNotFound {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the product is not in the cart")
    }
}

impl Error for ProductNotFound {}

/// A list of the products that a customer means to buy. A product may be in
/// the cart several times.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShoppingCart {
    items: Vec<Product>,
}

impl ShoppingCart {
    /// Creates an empty cart.
    pub fn new() -> ShoppingCart {
        ShoppingCart { items: Vec::new() }
    }

    /// Returns the sum of the prices in cents.
    pub fn balance(&self) -> u64 {
        let mut balance = 0;
        for item in &self.items {
            balance += u64::from(item.price());
        }
        balance
    }

    /// Adds a product.
    pub fn add_item(&mut self, item: Product) {
        self.items.push(item);
    }

    /// Removes a product once.
    pub fn remove_item(&mut self, item: &Product) -> Result<(), ProductNotFound> {
        for index in 0..self.items.len() {
            if self.items[index] == *item {
                self.items.remove(index);
                return Ok(());
            }
        }
        Err(ProductNotFound)
    }

    /// Returns the number of products.
    pub fn item_count(&self) -> usize {
        self.items.len()
    }

    /// Removes all products.
    pub fn empty(&mut self) {
        self.items.clear();
    }

    /// Tells whether the cart holds no product.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
}
