//! A bank account with a limit on withdrawals.

use std::error::Error;
use std::fmt;

/// The number of withdrawals that are allowed in a month.
const MAX_WITHDRAWALS: u32 = 10;

/// The reason why an operation on an account was refused. A refused operation
/// changes nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccountError {
    /// The amount is zero or negative, or too great for the account to add.
    InvalidAmount,
    /// The balance is smaller than the amount.
    InsufficientFunds,
    /// All withdrawals of this month have been made.
    TooManyWithdrawals,
}

impl fmt::Display for AccountError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            AccountError::InvalidAmount => "the amount is not valid",
            AccountError::InsufficientFunds => "the balance is too small",
            AccountError::TooManyWithdrawals => "there were too many withdrawals this month",
        })
    }
}

impl Error for AccountError {}

/// An account that holds a balance and counts the withdrawals of the month.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BankAccount {
    balance: i64,
    withdrawals: u32,
}

impl BankAccount {
    /// Creates an account with a balance of zero.
    pub fn new() -> BankAccount {
        BankAccount {
            balance: 0,
            withdrawals: 0,
        }
    }

    /// Adds an amount to the balance and returns the new balance.
    pub fn deposit(&mut self, amount: i64) -> Result<i64, AccountError> {
        if amount <= 0 {
            return Err(AccountError::InvalidAmount);
        }
        match self.balance.checked_add(amount) {
            Some(balance) => self.balance = balance,
            None => return Err(AccountError::InvalidAmount),
        }
        Ok(self.balance)
    }

    /// Takes an amount from the balance and returns the new balance.
    pub fn withdraw(&mut self, amount: i64) -> Result<i64, AccountError> {
        if amount <= 0 {
            return Err(AccountError::InvalidAmount);
        }
        if amount > self.balance {
            return Err(AccountError::InsufficientFunds);
        }
        if self.withdrawals >= MAX_WITHDRAWALS {
            return Err(AccountError::TooManyWithdrawals);
        }
        self.balance -= amount;
        self.withdrawals += 1;
        Ok(self.balance)
    }

    /// Returns the balance.
    pub fn balance(&self) -> i64 {
        self.balance
    }

    /// Returns the number of withdrawals of this month.
    pub fn withdrawals(&self) -> u32 {
        self.withdrawals
    }

    /// Begins a month without withdrawals.
    pub fn start_month(&mut self) {
        self.withdrawals = 0;
    }
}
