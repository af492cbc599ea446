//! Everything here happens in virtual time.

mod arrivals;
mod classes;
mod disorder;
mod driver;
mod exactness;
mod extremes;
mod idle;
mod learning;
mod order;
mod planning;
mod pools;
mod shares;
