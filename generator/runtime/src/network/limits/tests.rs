//! Everything here happens in virtual time.

mod arrivals;
mod disorder;
mod driver;
mod exactness;
mod learning;
mod planning;
mod pools;
