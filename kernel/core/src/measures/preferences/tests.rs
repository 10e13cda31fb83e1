use super::*;

fn judged<'a>(rows: &[(&'a str, &'a str, u32, f64)]) -> Vec<JudgedLevel<'a>> {
    let row = |&(group, subgroup, place, level): &(&'a str, &'a str, u32, f64)| JudgedLevel {
        group: group.as_bytes(),
        subgroup: subgroup.as_bytes(),
        place,
        level,
    };
    rows.iter().map(row).collect()
}

fn preferences(rows: &[(&str, &str, u32, f64)], retrieved: u32) -> Preferences {
    Preferences::new(&mut judged(rows), retrieved).unwrap()
}

fn possible(rows: &[(&str, &str, u32, f64)]) -> f64 {
    preferences(rows, 0).number(PairCount::Possible)
}

#[test]
fn a_group_of_one_subgroup_prefers_higher_levels() {
    let rows: Vec<_> = [3.0, 2.0, 0.0, 6.0, 0.0, 2.0]
        .into_iter()
        .zip(1..)
        .map(|(level, place)| ("u", "s", place, level))
        .collect();
    assert_eq!(possible(&rows), 13.0);
}

#[test]
fn subgroups_are_joined_by_transitivity() {
    // 1 > 2 > 3 and 2 > 4: 1 > 4 follows, and nothing is said of 3 and 4.
    let rows =
        [("u", "s", 1, 3.0), ("u", "s", 2, 2.0), ("u", "s", 3, 1.0), ("u", "t", 2, 5.0), ("u", "t", 4, 4.0)];
    assert_eq!(possible(&rows), 5.0);
    // The second time 1 > 2 is said it is no preference of its own.
    let rows = [
        ("u", "s", 1, 3.0),
        ("u", "s", 2, 2.0),
        ("u", "s", 3, 1.0),
        ("u", "t", 1, 2.0),
        ("u", "t", 2, 1.0),
        ("u", "t", 4, 3.0),
    ];
    // 4 > 1 > 3 is one more than these two subgroups say themselves.
    assert_eq!(possible(&rows), 6.0);
}

#[test]
fn preferences_are_within_groups() {
    let rows = [("u", "s", 1, 3.0), ("u", "s", 2, 2.0), ("v", "s", 1, 0.0), ("v", "s", 2, 6.0)];
    let preferences = preferences(&rows, 3);
    assert_eq!(preferences.number(PairCount::Possible), 2.0);
    assert_eq!(preferences.number(PairCount::Fulfilled), 1.0);
    assert_eq!(preferences.share(Count::Pair, Pairs::All), (0.5, false));
}

#[test]
fn pairs_with_unretrieved_documents_count_by_option() {
    // In rank order 5, 1 and 3; 4 and 2 were not retrieved.
    let rows: Vec<_> = [5.0, 1.0, 3.0, 4.0, 2.0]
        .into_iter()
        .zip(0..)
        .map(|(level, place)| ("u", "s", place, level))
        .collect();
    let preferences = preferences(&rows, 3);
    // 5 > 1, 5 > 3, not 3 > 1; 5 > 4, 5 > 2, 3 > 2, not 4 > 1, 4 > 3 and 2 > 1; nothing of 4 > 2.
    assert_eq!(preferences.share(Count::Simple, Pairs::Retrieved), (2.0 / 3.0, false));
    assert_eq!(preferences.share(Count::Simple, Pairs::Implied), (5.0 / 9.0, false));
    assert_eq!(preferences.share(Count::Simple, Pairs::All), (0.5, false));
    assert_eq!(preferences.number(PairCount::FulfilledRetrieved), 2.0);
}

#[test]
fn a_group_of_one_subgroup_is_the_same_as_classes_and_as_a_table() {
    let mut state = 7u64;
    let mut next = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    for _ in 0..500 {
        let size = next(90) + 1;
        let retrieved = u32::try_from(next(size + 1)).unwrap();
        let levels: Vec<f64> = (0..size).map(|_| next(6) as f64).collect();
        let once: Vec<_> = levels.iter().zip(0..).map(|(&level, place)| ("u", "s", place, level)).collect();
        let mut twice = once.clone();
        twice.extend(once.iter().map(|&(group, _, place, level)| (group, "t", place, level)));
        let (once, twice) = (preferences(&once, retrieved), preferences(&twice, retrieved));
        assert_eq!(once.preferred, twice.preferred);
        assert_eq!(once.pairs(), twice.pairs());
        // And as two groups that agree: each preference twice, the share of pairs the same.
        let mut agreeing: Vec<_> =
            levels.iter().zip(0..).map(|(&level, place)| ("u", "s", place, level)).collect();
        agreeing.extend(levels.iter().zip(0..).map(|(&level, place)| ("v", "s", place, level)));
        let agreeing = preferences(&agreeing, retrieved);
        assert_eq!(agreeing.pairs(), once.pairs());
        assert_eq!(agreeing.number(PairCount::Possible), 2.0 * once.number(PairCount::Possible));
    }
}

#[test]
fn counts_as_many_nonrelevant_documents_as_relevant_ones() {
    // One relevant document, and nothing else: one that is not relevant is added below it.
    assert_eq!(preferences(&[("u", "s", 0, 1.0)], 1).share(Count::GroupEven, Pairs::All), (1.0, false));
    assert_eq!(preferences(&[("u", "s", 0, 1.0)], 0).share(Count::GroupEven, Pairs::All), (0.0, false));
    // Two that are not relevant and one that is, as a table: the second is left out.
    let rows =
        [("u", "s", 0, 0.0), ("u", "s", 1, 1.0), ("u", "s", 2, 0.0), ("u", "t", 0, 0.0), ("u", "t", 1, 1.0)];
    assert_eq!(preferences(&rows, 3).share(Count::Group, Pairs::All), (0.5, false));
    assert_eq!(preferences(&rows, 3).share(Count::GroupEven, Pairs::All), (0.0, false));
    // As classes, the one that stays is compared with its own class too: 0 < 2, but not 0 < 0 or 1 < 0.
    assert_eq!(preferences(&rows[..3], 3).share(Count::GroupEven, Pairs::All), (0.0, false));
    let rows = [("u", "s", 0, 1.0), ("u", "s", 1, 0.0), ("u", "s", 2, 0.0)];
    assert_eq!(preferences(&rows, 3).share(Count::GroupEven, Pairs::All), (1.0 / 3.0, false));
}

#[test]
fn groups_without_relevant_documents_make_the_even_count_zero() {
    let rows = [("u", "s", 0, 1.0), ("u", "s", 1, 0.0), ("v", "s", 0, 0.0), ("v", "s", 1, 0.0)];
    let preferences = preferences(&rows, 2);
    assert_eq!(preferences.share(Count::Group, Pairs::All), (0.5, false));
    assert_eq!(preferences.share(Count::GroupEven, Pairs::All), (0.0, false));
}

#[test]
fn no_preferences_count_as_no_relevant_documents() {
    let rows = [("u", "s", 0, 1.0), ("u", "s", 1, 1.0)];
    for count in [Count::Simple, Count::Pair, Count::Group] {
        for pairs in [Pairs::All, Pairs::Retrieved, Pairs::Implied] {
            assert_eq!(preferences(&rows, 2).share(count, pairs), (0.0, true));
        }
    }
    assert_eq!(preferences(&[], 0).share(Count::GroupEven, Pairs::All), (0.0, true));
}

#[test]
fn contradictions_are_refused() {
    let contradiction =
        |rows: &[(&str, &str, u32, f64)]| Preferences::new(&mut judged(rows), 2).unwrap_err().contradiction;
    let two_levels = [("u", "s", 0, 1.0), ("u", "s", 0, 2.0)];
    assert_eq!(contradiction(&two_levels), Contradiction::TwoLevels(0));
    let two_relevances = [("u", "s", 0, 1.0), ("u", "t", 0, 0.0)];
    assert_eq!(contradiction(&two_relevances), Contradiction::TwoRelevances(0));
    let circle = [
        ("u", "s", 0, 2.0),
        ("u", "s", 1, 1.0),
        ("u", "t", 1, 2.0),
        ("u", "t", 2, 1.0),
        ("u", "v", 2, 2.0),
        ("u", "v", 0, 1.0),
    ];
    assert!(matches!(contradiction(&circle), Contradiction::Mutual(..)));
    // With several subgroups, two levels of which no other document stands between say nothing.
    let harmless = [("u", "s", 0, 3.0), ("u", "s", 0, 2.0), ("u", "s", 1, 1.0), ("u", "t", 2, 1.0)];
    assert_eq!(possible(&harmless), 1.0);
}

#[test]
fn duplicate_documents_count_twice_in_classes() {
    let rows = [("u", "s", 0, 2.0), ("u", "s", 0, 2.0), ("u", "s", 1, 1.0)];
    let preferences = preferences(&rows, 2);
    assert_eq!(preferences.number(PairCount::Possible), 2.0);
    assert_eq!(preferences.share(Count::Pair, Pairs::All), (1.0, false));
}
