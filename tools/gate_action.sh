#!/usr/bin/env bash
# What the GitHub Action (action.yml) runs: the gate, its summary, and a comment on the pull request.
# Inputs are environment variables. The exit status is that of the gate: 0 pass, 2 error, 3 inconclusive, 4 fail.
set -uo pipefail

arguments=("$QRELS" "$RUN" --snapshot "$SNAPSHOT")
[[ -z ${MARGIN:-} ]] || arguments+=(--margin "$MARGIN")
if [[ -n ${OPTIONS:-} ]]; then
    # xargs splits words at blanks outside of quotes, and expands nothing.
    words=$(xargs -r printf '%s\n' <<<"$OPTIONS") || { echo "::error::options: unmatched quotes"; exit 2; }
    [[ -z $words ]] || while IFS= read -r word; do arguments+=("$word"); done <<<"$words"
fi

# Each gate of a pull request has a comment of its own, which the next run replaces.
name="gainful-gate-$(printf '%s\n' "$QRELS" "$RUN" "$SNAPSHOT" "${OPTIONS:-}" | cksum | tr ' ' -)"
comment="${RUNNER_TEMP:-/tmp}/$name.md"
rm -f "$comment"
gainful gate "${arguments[@]}" --no-count --format github --also "markdown=$comment"
status=$?

case $status in
    0) verdict=passed ;;
    3) verdict=inconclusive ;;
    4) verdict=failed ;;
    *) verdict=error ;;
esac
{
    echo "verdict=$verdict"
    [[ ! -s $comment ]] || echo "comment=$comment"
} >>"$GITHUB_OUTPUT"

write_comment() {
    local marked="$comment.marked" before
    { cat "$comment" && printf '\n<!-- %s -->\n' "$name"; } >"$marked"
    before=$(gh pr view "$PULL_REQUEST" --repo "$GITHUB_REPOSITORY" --json comments --jq \
        ".comments[] | select(.viewerDidAuthor and (.body | contains(\"<!-- $name -->\"))) | .url") || return
    if [[ -n $before ]]; then
        # The address of a comment ends with -NUMBER.
        gh api --silent --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/${before##*-}" \
            --field "body=@$marked"
    else
        gh pr comment "$PULL_REQUEST" --repo "$GITHUB_REPOSITORY" --body-file "$marked"
    fi
}

if [[ -s $comment ]]; then
    cat "$comment" >>"$GITHUB_STEP_SUMMARY"
    if [[ ${COMMENT:-false} == true && -n ${PULL_REQUEST:-} ]]; then
        write_comment || echo "::warning::the comment could not be written"
    fi
fi
if [[ $verdict == inconclusive && ${INCONCLUSIVE:-fail} == pass ]]; then
    exit 0
fi
exit "$status"
