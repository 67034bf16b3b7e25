/** What makes foreign text one's own: nothing is reviewed in a workspace that is not trusted. */
export const reviewCommands = (names: readonly string[], trusted: boolean): string[] => [
  ...(trusted ? [] : ['savepoint trust']),
  `savepoint trust --review ${names.length === 1 ? names[0] : '<id>'}`,
]

export const sayReview = (names: readonly string[], trusted: boolean) =>
  `came with the repository: ${reviewCommands(names, trusted).join(', then ')}`
