//! Surfaces: every number that determines a contact.

use gradbody_math::Scalar;

use crate::FrictionOf;

macro_rules! material {
    ($($(#[$doc:meta])* $field:ident: $variant:ident = $default:expr,)+) => {
        /// The surface of a shape, or of a pair of shapes. If two shapes touch that are not a listed pair,
        /// [`Material::between`] combines their surfaces.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct Material<S> {
            $($(#[$doc])* pub $field: S,)+
        }

        /// A number of a [`Material`].
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs, reason = "each is the field of Material of that name")]
        pub enum MaterialScalar {
            $($variant,)+
        }

        impl MaterialScalar {
            /// All of them, in order.
            pub const ALL: &'static [MaterialScalar] = &[$(MaterialScalar::$variant,)+];

            /// Whether the smaller number of two surfaces counts, instead of the larger.
            pub const fn smaller_counts(self) -> bool {
                matches!(self, MaterialScalar::Stiffness | MaterialScalar::PositionGain)
            }

            /// The last part of its path.
            pub const fn name(self) -> &'static str {
                match self {
                    $(MaterialScalar::$variant => stringify!($field),)+
                }
            }
        }

        impl Material<f64> {
            /// The surface of an unknown material. Friction coefficients are MuJoCo's defaults, the Hunt-Crossley
            /// constants those of NeuralSim.
            pub const DEFAULT: Self = Material { $($field: $default,)+ };
        }

        impl<S: Scalar> Material<S> {
            /// One of its numbers.
            pub fn get(&self, number: MaterialScalar) -> &S {
                match number {
                    $(MaterialScalar::$variant => &self.$field,)+
                }
            }

            /// One of its numbers, to change it.
            pub fn get_mut(&mut self, number: MaterialScalar) -> &mut S {
                match number {
                    $(MaterialScalar::$variant => &mut self.$field,)+
                }
            }

            /// Applies `f` to each number.
            pub fn map<T: Scalar>(&self, f: impl Fn(S) -> T + Copy) -> Material<T> {
                Material { $($field: f(self.$field),)+ }
            }
        }
    };
}

material! {
    /// Coefficient of sliding friction.
    friction: Friction = 1.0,
    /// Coefficient of torsional friction, about the normal [m].
    torsional_friction: TorsionalFriction = 0.005,
    /// Coefficient of rolling friction, about the tangents [m].
    rolling_friction: RollingFriction = 0.0001,
    /// Coefficient of friction at the onset of sliding, for compliant contact.
    static_friction: StaticFriction = 1.0,
    /// Speed at which compliant contact changes from creeping to sliding [m/s].
    slip_velocity: SlipVelocity = 0.01,
    /// Fraction of the approach velocity with which bodies separate after an impact.
    restitution: Restitution = 0.0,
    /// Baumgarte's α: fraction of the penetration that a step corrects.
    position_gain: PositionGain = 0.2,
    /// Baumgarte's β: fraction of the approach velocity that a step removes.
    velocity_gain: VelocityGain = 1.0,
    /// Constraint force mixing: velocity by which a contact yields per unit of impulse [1/kg].
    cfm: Cfm = 0.0,
    /// Hunt-Crossley stiffness k: force per penetration to the power of the exponent [N/mⁿ].
    stiffness: Stiffness = 50_000.0,
    /// Hunt-Crossley damping d: force per penetration to the exponent and speed [N s/mⁿ⁺¹].
    damping: Damping = 50_000.0,
    /// Hunt-Crossley exponent n.
    exponent: Exponent = 1.5,
}

impl Default for Material<f64> {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl Material<f64> {
    /// The default surface with this coefficient of friction, both static and sliding.
    pub const fn with_friction(friction: f64) -> Self {
        Material { friction, static_friction: friction, ..Self::DEFAULT }
    }
}

impl<S: Scalar> Material<S> {
    /// The surface of a contact between two surfaces. The softer one decides: the smaller stiffness and position gain
    /// count, and the larger of every other number.
    ///
    /// For friction that is MuJoCo's rule; restitution, which MuJoCo does not have, follows it. Other programs differ:
    /// Bullet multiplies the two coefficients of friction, and the two of restitution; Gazebo (with ODE) takes the
    /// smaller friction. Numbers fitted there for two surfaces are best given to a pair of shapes.
    ///
    /// `friction` can name one of the two surfaces, whose sliding and static friction then count instead.
    #[inline(always)]
    pub fn between(a: &Self, b: &Self, friction: FrictionOf) -> Self {
        let larger = Self::larger(a, b);
        let of = match friction {
            FrictionOf::Larger => return larger,
            FrictionOf::A => a,
            FrictionOf::B => b,
        };
        Material { friction: of.friction, static_friction: of.static_friction, ..larger }
    }

    #[inline(always)]
    fn larger(a: &Self, b: &Self) -> Self {
        Material {
            friction: a.friction.max(b.friction),
            torsional_friction: a.torsional_friction.max(b.torsional_friction),
            rolling_friction: a.rolling_friction.max(b.rolling_friction),
            static_friction: a.static_friction.max(b.static_friction),
            slip_velocity: a.slip_velocity.max(b.slip_velocity),
            restitution: a.restitution.max(b.restitution),
            position_gain: a.position_gain.min(b.position_gain),
            velocity_gain: a.velocity_gain.max(b.velocity_gain),
            cfm: a.cfm.max(b.cfm),
            stiffness: a.stiffness.min(b.stiffness),
            damping: a.damping.max(b.damping),
            exponent: a.exponent.max(b.exponent),
        }
    }

    /// Adjoint of [`Material::between`]: adds the cotangent `bar` to that of the surface whose number counts, and to
    /// `a` where both are equal.
    #[inline(always)]
    pub fn between_vjp(
        a: &Self,
        b: &Self,
        friction: FrictionOf,
        bar: &Self,
        a_bar: &mut Self,
        b_bar: &mut Self,
    ) {
        let mut bar = *bar;
        let of = match friction {
            FrictionOf::Larger => None,
            FrictionOf::A => Some(&mut *a_bar),
            FrictionOf::B => Some(&mut *b_bar),
        };
        if let Some(of) = of {
            of.friction += bar.friction;
            of.static_friction += bar.static_friction;
            (bar.friction, bar.static_friction) = (S::ZERO, S::ZERO);
        }
        // `number: low <= high` is the condition that the number of `a` counts.
        macro_rules! share {
            ($($number:ident: $low:ident <= $high:ident,)+) => {$(
                let to_a = |yes: S, no: S| $low.$number.select_le($high.$number, yes, no);
                a_bar.$number += to_a(bar.$number, S::ZERO);
                b_bar.$number += to_a(S::ZERO, bar.$number);
            )+};
        }
        share! {
            friction: b <= a,
            torsional_friction: b <= a,
            rolling_friction: b <= a,
            static_friction: b <= a,
            slip_velocity: b <= a,
            restitution: b <= a,
            position_gain: a <= b,
            velocity_gain: b <= a,
            cfm: b <= a,
            stiffness: a <= b,
            damping: b <= a,
            exponent: b <= a,
        }
    }
}
