//! Residuals of the fitted windows compared with the noise: whether the model explains the data.

use gradbody_learn::outcome::{FitOutcome, Residual};

use crate::number::{list, number};

/// Range of residuals that noise alone explains.
const LIKE_NOISE: std::ops::RangeInclusive<f64> = 0.9..=1.1;
/// Above this, more than a detail is missing.
const FAR: f64 = 2.0;
/// Above this, channels may have been read in another unit.
const OTHER_UNIT: f64 = 1000.0;
/// Channels are named if they differ by more than this factor.
const APART: f64 = 1.5;
/// The most channels that are named.
const NAMED: usize = 6;

/// A sentence or two; none if there is nothing to compare.
pub fn against_noise(outcome: &FitOutcome) -> Option<String> {
    let noise = outcome.noise.as_ref().filter(|noise| noise.times.is_finite())?;
    let said = if noise.estimated { "estimated" } else { "said" };
    let verdict = match noise.times {
        t if LIKE_NOISE.contains(&t) => "the model explains the data".to_owned(),
        t if t < 1.0 => format!(
            "the noise is smaller than {said}, or there are so many unknowns that they fit the noise too"
        ),
        t if t < FAR => format!(
            "the model explains most of the data, but something small is missing, or the noise is larger than {said}"
        ),
        t if t > OTHER_UNIT => {
            "the model does not explain the data at all. Are the units of the channels right: mm or m, deg or rad?"
                .to_owned()
        }
        _ => "the model does not explain the data. Something is missing in it, and ± says little; “gradbody discover” \
              looks for what it is"
            .to_owned(),
    };
    let guess = if noise.estimated { " The noise is estimated from the data." } else { "" };
    Some(format!(
        "The residuals of the fitted windows are {} times the noise{}: {verdict}.{guess}",
        number(noise.times, 2),
        by_channel(&outcome.residuals)
    ))
}

/// ` (elbow 83, shoulder 45 times)`, where channels differ.
fn by_channel(residuals: &[Residual]) -> String {
    let times = |left: &Residual| Some(left.rms / left.noise).filter(|t| t.is_finite());
    let mut all: Vec<(&str, f64)> =
        residuals.iter().filter_map(|left| Some((left.name.as_str(), times(left)?))).collect();
    all.sort_by(|a, b| b.1.total_cmp(&a.1));
    match (all.first(), all.last()) {
        (Some((_, most)), Some((_, least))) if *most > APART * least => {}
        _ => return String::new(),
    }
    let mut names: Vec<String> = all
        .iter()
        .take(NAMED)
        .map(|(name, times)| format!("{name} {}", number(*times, 2)))
        .collect();
    if all.len() > NAMED {
        names.push(format!("{} others less", all.len() - NAMED));
    }
    format!(" ({} times)", list(&names))
}

#[cfg(test)]
mod tests {
    use gradbody_learn::outcome::{AgainstNoise, FitOutcome, Residual};

    use super::against_noise;

    fn left(times: f64, channels: [f64; 2], estimated: bool) -> String {
        let residual = |name: &str, times: f64| Residual {
            name: name.into(),
            rms: 0.05 * times,
            unit: "deg".into(),
            noise: 0.05,
        };
        let outcome = FitOutcome {
            noise: Some(AgainstNoise { times, cost: 100.0, estimated }),
            residuals: vec![residual("shoulder", channels[0]), residual("elbow", channels[1])],
            ..FitOutcome::default()
        };
        against_noise(&outcome).expect("a sentence")
    }

    #[test]
    fn what_is_left_is_compared_with_the_noise() {
        assert_eq!(
            left(1.002, [0.97, 0.95], false),
            "The residuals of the fitted windows are 1.0 times the noise: the model explains the data."
        );
        let far = left(66.4, [44.6, 82.6], false);
        assert!(
            far.contains("66 times the noise (elbow 83 and shoulder 45 times): the model does not"),
            "{far}"
        );
        assert!(
            left(1.7, [1.7, 1.7], true).contains("larger than estimated. The noise is estimated")
        );
        assert!(left(0.3, [0.3, 0.3], false).contains("smaller than said"));
        assert!(
            left(3100.0, [3100.0, 2.0], false).contains("units of the channels right: mm or m")
        );
        assert_eq!(against_noise(&FitOutcome::default()), None);
    }
}
