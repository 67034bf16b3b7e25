/** Options of `npm run bench -- resume`. */
export const OPTIONS = {
  /** Names of scenarios or sessions, with commas. */
  only: { type: 'string' },
  /** Every end with everything that may come with it. */
  all: { type: 'boolean' },
  /** The budget of a brief; without it the program's own default. */
  tokens: { type: 'string' },
  /** Measure at several budgets, and write docs/resume-quality.md with its picture. */
  curve: { type: 'boolean' },
  /** A folder with facts.json and <id>.jsonl[.gz], instead of the scenarios. */
  sessions: { type: 'string' },
  /** With --sessions: also saved, small, alone, before. */
  situations: { type: 'boolean' },
  /** Print every fact with who told it. */
  facts: { type: 'boolean' },
  /** Where briefs and baselines go, to be read; with --curve also the page. */
  out: { type: 'string' },
}
