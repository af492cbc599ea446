//! The macro that makes `Described` of what other macros declare. It exists in both forms, so that emitted code need not
//! know which features are on.

/// Implements [`Described`](crate::data::parameters::described::Described), if the feature `described` is on.
#[cfg(feature = "described")]
#[doc(hidden)]
#[macro_export]
macro_rules! __described {
    (identifier $name:ident) => {
        $crate::__described!(@$name Text(::core::stringify!($name)));
    };
    (words $name:ident { $($wire:literal [$($about:literal)*])* }) => {
        $crate::__described!(@$name Words(const { &[
            $($crate::parameters::described::Word { wire: $wire, about: ::core::concat!($($about),*) },)*
        ] }));
    };
    (set $form:ident $name:ident { $($field:ident [$([$($about:tt)*])*] [$($row:tt)*] [$($ty:tt)*])* }) => {
        $crate::__described!(@$name $form(const { &[
            $($crate::parameters::described::Row::of::<$($ty)*>(
                ::core::stringify!($field),
                ::core::concat!($($crate::__about!($($about)*)),*),
                const { &$crate::__parameter!($($row)*) },
            ),)*
        ] }));
    };
    (by_value $name:ident [$($doc:literal)*] $wire:literal $decider:ident { $($value:ident [$($set:ident)?])* }) => {
        $crate::__described!(@$name ByValue(const { &$crate::parameters::described::Decision {
            name: $wire,
            about: ::core::concat!($($doc),*),
            values: <$decider as $crate::parameters::described::Described>::VALUES,
            cases: &[$($($crate::parameters::described::Case {
                value: || ::std::string::ToString::to_string(&$decider::$value),
                values: <$set as $crate::parameters::described::Described>::VALUES,
            },)?)*],
        } }));
    };
    (@$name:ident $form:ident($values:expr)) => {
        impl $crate::parameters::described::Described for $name {
            const VALUES: $crate::parameters::described::Values = $crate::parameters::described::Values::$form($values);
        }
    };
}

/// The text of an attribute `doc`; none of the other words that a parameter is searched for by.
#[cfg(feature = "described")]
#[doc(hidden)]
#[macro_export]
macro_rules! __about {
    (= $text:literal) => {
        $text
    };
    (($($other:tt)*)) => {
        ""
    };
}

/// Implements nothing, because the feature `described` is off.
#[cfg(not(feature = "described"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __described {
    ($($rest:tt)*) => {};
}
