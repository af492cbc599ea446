//! Everything here happens in virtual time.

mod classes;
mod driver;
mod exactness;
mod learning;
mod order;
mod planning;
