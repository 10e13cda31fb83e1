#!/usr/bin/env bash
# What the GitHub Action (action.yml) runs: the gate, its summary, and a comment on the pull request.
# Inputs are environment variables. The exit status is that of the gate: 0 pass, 1 fail, 2 error, 3 inconclusive.
set -uo pipefail

arguments=("$QRELS" "$RUN" --snapshot "$SNAPSHOT")
[[ -z ${MARGIN:-} ]] || arguments+=(--margin "$MARGIN")
if [[ -n ${OPTIONS:-} ]]; then
    # xargs splits words at blanks outside of quotes, and expands nothing.
    words=$(xargs printf '%s\n' <<<"$OPTIONS") || { echo "::error::options: unmatched quotes"; exit 2; }
    while IFS= read -r word; do arguments+=("$word"); done <<<"$words"
fi

comment="${RUNNER_TEMP:-/tmp}/gainful-gate.md"
rm -f "$comment"
gainful gate "${arguments[@]}" --no-count --format github --also "markdown=$comment"
status=$?

case $status in
    0) verdict=passed ;;
    1) verdict=failed ;;
    3) verdict=inconclusive ;;
    *) verdict=error ;;
esac
{
    echo "verdict=$verdict"
    [[ ! -s $comment ]] || echo "comment=$comment"
} >>"$GITHUB_OUTPUT"

if [[ -s $comment ]]; then
    cat "$comment" >>"$GITHUB_STEP_SUMMARY"
    if [[ ${COMMENT:-false} == true && -n ${PULL_REQUEST:-} ]]; then
        gh pr comment "$PULL_REQUEST" --repo "$GITHUB_REPOSITORY" --edit-last --create-if-none \
            --body-file "$comment" || echo "::warning::the comment could not be written"
    fi
fi
if [[ $verdict == inconclusive && ${INCONCLUSIVE:-fail} == pass ]]; then
    exit 0
fi
exit "$status"
