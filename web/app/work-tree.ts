import { hierarchy } from 'd3-hierarchy'
import type { WorkNode } from '../../src/apps/dashboard/api.ts'

/** A row of the tree. */
export interface TreeRow {
  work: WorkNode
  depth: number
  /** The row of its parent; -1 for a root. */
  parentRow: number
  /** The row of the work that its branch was merged into; -1 where it was not, or where that is not seen. */
  mergeRow: number
  children: number
  isOpen: boolean
  position: number
  siblings: number
}

interface Branch {
  work: WorkNode | null
  children: Branch[]
  /** The newest change of it or of anything below it. */
  newest: string
  isFocused: boolean
}

export interface TreeOptions {
  query: string
  withArchived: boolean
  /** What sessions saved by themselves, each into work of its own. */
  withSessions: boolean
  closed: ReadonlySet<string>
}

/** The rows of the tree that are to be seen, in their order: what is focused first, then what changed last. */
export function layTree(
  works: readonly WorkNode[],
  { query, withArchived, withSessions, closed }: TreeOptions,
): TreeRow[] {
  const root = buildTree(works)
  const isShown = ({ standing, isOfSession }: WorkNode) =>
    (withArchived || standing !== 'archived') && (withSessions || !isOfSession || standing === 'focused')
  prune(root, (work) => isShown(work) && matches(work, query))
  sortBranches(root)
  const rows: TreeRow[] = []
  const rowOf = new Map<Branch, number>()
  const tree = hierarchy(root, ({ work, children }) =>
    work && closed.has(work.id) && query === '' ? [] : children,
  )
  tree.eachBefore(({ data, depth, parent }) => {
    if (!data.work) return
    const siblings = parent?.children ?? []
    rowOf.set(data, rows.length)
    rows.push({
      ...{ work: data.work, depth: depth - 1, children: data.children.length },
      parentRow: parent ? (rowOf.get(parent.data) ?? -1) : -1,
      mergeRow: -1,
      isOpen: !closed.has(data.work.id) || query !== '',
      ...{ position: siblings.findIndex((one) => one.data === data) + 1, siblings: siblings.length },
    })
  })
  linkMerges(rows)
  return rows
}

/** Which row goes on with a branch: work that is open, and of several the one that was changed last. */
function linkMerges(rows: TreeRow[]) {
  const rowOfBranch = new Map<string, number>()
  for (const [index, { work }] of rows.entries()) {
    if (work.branch === null || work.merged || work.isOfSession) continue
    const known = rows[rowOfBranch.get(work.branch) ?? -1]?.work
    const isBetter =
      !known ||
      (known.name !== work.branch && (work.name === work.branch || work.updatedAt > known.updatedAt))
    if (isBetter) rowOfBranch.set(work.branch, index)
  }
  for (const row of rows)
    if (row.work.mergedInto !== null) row.mergeRow = rowOfBranch.get(row.work.mergedInto) ?? -1
}

function matches({ name, branch, problem }: WorkNode, query: string): boolean {
  const text = `${name}\n${branch ?? ''}\n${problem}`.toLowerCase()
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}

function buildTree(works: readonly WorkNode[]): Branch {
  const leaf = (work: WorkNode): Branch => ({
    ...{ work, children: [], newest: work.updatedAt, isFocused: work.standing === 'focused' },
  })
  const branches = new Map(works.map((work) => [work.id, leaf(work)]))
  const root: Branch = { work: null, children: [], newest: '', isFocused: false }
  for (const branch of branches.values()) {
    const parent = branch.work?.parent ? branches.get(branch.work.parent) : undefined
    ;(parent && !isBelow(parent, branch, branches) ? parent : root).children.push(branch)
  }
  return root
}

/** Whether one is an ancestor of the other: two that name each other as parents must not vanish from the tree. */
function isBelow(one: Branch, ancestor: Branch, branches: ReadonlyMap<string, Branch>): boolean {
  const seen = new Set<Branch>()
  for (let at: Branch | undefined = one; at && !seen.has(at); at = branches.get(at.work?.parent ?? '')) {
    if (at === ancestor) return true
    seen.add(at)
  }
  return false
}

/** Takes out what is not wanted; what has something wanted below it stays. */
function prune(branch: Branch, wanted: (work: WorkNode) => boolean): boolean {
  branch.children = branch.children.filter((child) => prune(child, wanted))
  return branch.children.length > 0 || (branch.work !== null && wanted(branch.work))
}

function sortBranches(branch: Branch) {
  for (const child of branch.children) {
    sortBranches(child)
    if (child.newest > branch.newest) branch.newest = child.newest
    branch.isFocused ||= child.isFocused
  }
  branch.children.sort(
    (a, b) =>
      Number(b.isFocused) - Number(a.isFocused) || (a.newest < b.newest ? 1 : a.newest > b.newest ? -1 : 0),
  )
}
