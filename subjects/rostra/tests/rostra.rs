//! Hand-written tests of the eight classes.

use std::collections::BTreeSet;

use rostra_subjects::{
    AccountError, BBag, BSet, BankAccount, BinarySearchTree, IntStack, LinkedList, Product,
    ProductNotFound, ShoppingCart, TreeError, UBStack,
};

/// Returns the next number of a fixed sequence that looks random.
fn next_number(state: &mut u64) -> i32 {
    *state = state
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1);
    (*state >> 33) as i32
}

#[test]
fn int_stack_returns_what_was_pushed_last() {
    let mut stack = IntStack::new();
    for value in 0..45 {
        stack.push(value);
    }
    for value in (0..45).rev() {
        assert!(!stack.is_empty());
        assert_eq!(stack.pop(), value);
    }
    assert!(stack.is_empty());
}

#[test]
fn int_stacks_are_compared_by_live_elements_only() {
    // These are the tests T1 and T2 of the paper.
    let mut first = IntStack::new();
    first.push(3);
    first.push(2);
    first.pop();
    let mut second = IntStack::new();
    second.push(3);
    assert_eq!(first, second);
    first.push(5);
    assert_ne!(first, second);
    second.push(6);
    assert_ne!(first, second);
}

#[test]
#[should_panic]
fn int_stack_cannot_pop_when_empty() {
    IntStack::new().pop();
}

#[test]
fn ub_stack_is_bounded_and_unique() {
    let mut stack = UBStack::new();
    assert_eq!(stack.top(), None);
    for element in 1..=6 {
        stack.push(element);
    }
    assert!(stack.is_full());
    assert_eq!(stack.number_of_elements(), stack.max_size());
    assert!(!stack.is_member(6));
    stack.push(2);
    assert_eq!(stack.to_array(), [1, 3, 4, 5, 2]);
    stack.pop();
    assert_eq!(stack.top(), Some(5));
    assert!(!stack.is_member(2));
}

#[test]
fn ub_stacks_are_compared_by_live_elements_only() {
    let mut stack = UBStack::new();
    stack.push(7);
    assert!(!stack.is_empty());
    assert_ne!(stack, UBStack::new());
    stack.pop();
    assert_eq!(stack, UBStack::new());
}

#[test]
#[should_panic(expected = "empty stack")]
fn ub_stack_cannot_pop_when_empty() {
    UBStack::new().pop();
}

#[test]
fn bset_holds_each_element_once_up_to_its_limit() {
    let mut set = BSet::new(3);
    assert!(set.is_empty());
    assert!(set.add(4));
    assert!(!set.add(4));
    assert!(set.add(1));
    assert!(set.add(9));
    assert!(set.is_full());
    assert!(!set.add(5));
    assert_eq!(set.to_array(), [1, 4, 9]);
    assert!(set.remove(4));
    assert!(!set.remove(4));
    assert!(!set.is_member(4));
    assert_eq!((set.number_of_elements(), set.max_size()), (2, 3));
}

#[test]
fn bsets_are_compared_without_regard_to_order() {
    let (mut one, mut other) = (BSet::new(3), BSet::new(3));
    one.add(1);
    one.add(2);
    other.add(2);
    assert_ne!(one, other);
    other.add(1);
    assert_eq!(one, other);
    assert_ne!(BSet::new(3), BSet::new(4));
    other.remove(1);
    other.add(7);
    assert_ne!(one, other);
}

#[test]
fn bbag_counts_its_elements() {
    let mut bag = BBag::new(4);
    assert!(bag.is_empty());
    for element in [5, 6, 5, 5] {
        assert!(bag.add(element));
    }
    assert!(bag.is_full());
    assert!(!bag.add(6));
    assert_eq!(bag.multiplicity(5), 3);
    assert!(bag.remove(5));
    assert!(bag.remove(6));
    assert!(!bag.remove(6));
    assert_eq!((bag.multiplicity(5), bag.multiplicity(6)), (2, 0));
    assert_eq!((bag.size(), bag.max_size()), (2, 4));
}

#[test]
fn bbags_are_compared_by_counts() {
    let (mut one, mut other) = (BBag::new(4), BBag::new(4));
    for (left, right) in [(1, 2), (2, 1), (2, 1)] {
        one.add(left);
        other.add(right);
    }
    assert_ne!(one, other);
    one.add(1);
    other.add(2);
    assert_eq!(one, other);
}

#[test]
fn shopping_cart_sums_its_items() {
    let mut cart = ShoppingCart::new();
    let book = Product::new("book", 1250);
    let pen = Product::new("pen", 120);
    assert_eq!((book.title(), book.price()), ("book", 1250));
    cart.add_item(book.clone());
    cart.add_item(pen.clone());
    cart.add_item(pen.clone());
    assert_eq!((cart.balance(), cart.item_count()), (1490, 3));
    assert_eq!(cart.remove_item(&pen), Ok(()));
    assert_eq!(cart.remove_item(&pen), Ok(()));
    assert_eq!(cart.remove_item(&pen), Err(ProductNotFound));
    assert_eq!((cart.balance(), cart.item_count()), (1250, 1));
    assert!(!cart.is_empty());
    cart.empty();
    assert_eq!(cart, ShoppingCart::new());
}

#[test]
fn bank_account_refuses_what_it_cannot_do() {
    let mut account = BankAccount::new();
    assert_eq!(account.deposit(0), Err(AccountError::InvalidAmount));
    assert_eq!(account.deposit(100), Ok(100));
    assert_eq!(account.deposit(i64::MAX), Err(AccountError::InvalidAmount));
    assert_eq!(account.withdraw(-1), Err(AccountError::InvalidAmount));
    assert_eq!(account.withdraw(101), Err(AccountError::InsufficientFunds));
    for _ in 0..10 {
        assert!(account.withdraw(1).is_ok());
    }
    assert_eq!(account.withdraw(1), Err(AccountError::TooManyWithdrawals));
    assert_eq!((account.balance(), account.withdrawals()), (90, 10));
    account.start_month();
    assert_eq!(account.withdraw(90), Ok(0));
}

#[test]
fn binary_search_tree_behaves_like_a_standard_set() {
    let mut state = 5;
    let mut tree = BinarySearchTree::new();
    let mut model = BTreeSet::new();
    for _ in 0..4000 {
        let element = next_number(&mut state) % 40;
        match next_number(&mut state) % 5 {
            0 | 1 => {
                let inserted = tree.insert(element);
                if model.insert(element) {
                    assert_eq!(inserted, Ok(()));
                } else {
                    assert_eq!(inserted, Err(TreeError::DuplicateItem));
                }
            }
            2 | 3 => {
                let removed = tree.remove(element);
                if model.remove(&element) {
                    assert_eq!(removed, Ok(()));
                } else {
                    assert_eq!(removed, Err(TreeError::ItemNotFound));
                }
            }
            _ => assert_eq!(tree.remove_min().ok(), model.pop_first()),
        }
        assert_eq!(tree.find(element), model.contains(&element));
        assert_eq!(tree.find_min(), model.first().copied());
        assert_eq!(tree.find_max(), model.last().copied());
        assert_eq!(tree.is_empty(), model.is_empty());
        assert_eq!(
            tree.to_sorted_list(),
            model.iter().copied().collect::<Vec<_>>()
        );
    }
    tree.make_empty();
    assert_eq!(tree, BinarySearchTree::new());
}

#[test]
fn linked_list_behaves_like_a_vector() {
    let mut state = 6;
    let mut list = LinkedList::new();
    let mut model: Vec<i32> = Vec::new();
    for _ in 0..2000 {
        let element = next_number(&mut state) % 20;
        let place = model.iter().position(|held| *held == element);
        match (next_number(&mut state) % 4, list.find(element)) {
            (0, _) => {
                assert!(list.insert(element, list.zeroth()));
                model.insert(0, element);
            }
            (1, Some(position)) => {
                assert!(list.insert(element + 1, position));
                model.insert(place.expect("the list found it") + 1, element + 1);
            }
            (1, None) => assert_eq!(place, None),
            _ => {
                assert_eq!(list.remove(element), place.is_some());
                if let Some(index) = place {
                    model.remove(index);
                }
            }
        }
        assert_eq!(list.is_empty(), model.is_empty());
        assert_eq!(list.retrieve(list.first()), model.first().copied());
        assert_eq!(list.retrieve(list.zeroth()), None);
        let found = list.find(element).and_then(|place| list.retrieve(place));
        assert_eq!(found.is_some(), model.contains(&element));
        assert!(found.is_none_or(|held| held == element));
    }
}

#[test]
fn linked_list_keeps_to_its_ends() {
    let mut list = LinkedList::new();
    assert!(!list.insert(1, list.first()));
    assert_eq!(list.find_previous(1), None);
    list.insert(1, list.zeroth());
    list.insert(2, list.first());
    assert_eq!(list.find_previous(1), Some(list.zeroth()));
    assert_eq!(list.find_previous(2), Some(list.first()));
    let last = list.find(2).expect("it was inserted");
    list.make_empty();
    assert_eq!(list.retrieve(last), None);
    assert!(!list.insert(3, last));
    assert_eq!(list, LinkedList::new());
}
