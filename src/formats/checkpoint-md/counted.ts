const MORE = /^… (\d{1,9}) more: savepoint show \S+ --at \d+$/

/** How many items a line stands for that an absolute budget cut; 0 where it is no such line. */
export const countOf = (said = '') => Number(MORE.exec(said)?.[1] ?? 0)
