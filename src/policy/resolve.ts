import { nameKey, runNameProblem } from '../core/id.ts'
import type { Session } from '../core/session.ts'

const HOUR = 3_600_000
/** A head of another branch that is older than this is offered as a choice, not told. */
const OFFER_AFTER_MS = 72 * HOUR

export interface StreamFacts {
  name: string
  standing: 'focused' | 'open' | 'archived'
  updatedMs: number
  branch: string | null
  plan?: string | null
  /** It began as the work of the present branch, and was renamed. */
  isRenamed?: boolean
  /** Its head was saved in this workspace, or its document lies here. */
  here: boolean
  /** It came with the repository, and nobody here vouches for it. */
  foreign: boolean
}

/** What a command sees when it has to say which stream it is about. */
export interface ResolveFacts {
  named: string | null
  bound: string | null
  focused: string | null
  plan: string | null
  branch: string | null
  /** The branches that the present one may have been cut from, the likeliest first. */
  origins?: readonly string[]
  streams: readonly StreamFacts[]
  /** The stream that the last session of this workspace saved to, and when that session was last heard of. */
  worked?: { stream: string; atMs: number; isLive: boolean } | null
  nowMs: number
}

/** `unbranched`: no branch is checked out, and the work is `main` all the same. */
export type ResolutionRule = 'named' | 'bound' | 'focused' | 'plan' | 'branch' | 'main' | 'unbranched'
/** `origin`: the branch has no work yet, and this is the work of the branch that it was cut from. */
type FoundBy = ResolutionRule | 'origin' | 'only' | 'session'

export interface SaveTarget {
  kind: 'stream'
  name: string
  why: ResolutionRule
  /** There is no such stream yet: the save makes it. */
  isNew: boolean
}

export interface StreamCandidate extends Pick<StreamFacts, 'name' | 'updatedMs' | 'foreign'> {
  why: 'branch' | 'here' | 'open' | 'foreign'
}

export type ResumeChoice =
  | { kind: 'stream'; name: string; why: FoundBy; offered: boolean }
  | { kind: 'choose'; candidates: StreamCandidate[] }
  /** A name was given, and no stream has it. */
  | { kind: 'unknown'; name: string }
  | { kind: 'nothing' }

/**
 * The one answer to "which stream?": the named one, the session's, the focused one, the plan's, the branch's.
 * A save always has an answer, and may make it; a resume chooses among what exists and never guesses.
 */
export function resolveStream(seen: ResolveFacts, purpose: 'save'): SaveTarget
export function resolveStream(seen: ResolveFacts, purpose: 'resume'): ResumeChoice
export function resolveStream(seen: ResolveFacts, purpose: 'save' | 'resume'): SaveTarget | ResumeChoice {
  return purpose === 'save' ? forSave(seen) : forResume(seen)
}

/** Where work may belong where nobody names it, the best first: the session's, in focus, the plan's, the branch's. */
function rungsOf(seen: ResolveFacts): Array<{ name: string; why: ResolutionRule }> {
  const { bound, focused, plan } = seen
  return [
    ...(bound === null ? [] : [{ name: bound, why: 'bound' as const }]),
    ...(focused === null ? [] : [{ name: focused, why: 'focused' as const }]),
    ...(plan === null ? [] : [{ name: planStream(plan, seen), why: 'plan' as const }]),
    branchStream(seen),
  ]
}

function forSave(seen: ResolveFacts): SaveTarget {
  const own = seen.streams.filter(({ foreign }) => !foreign)
  const isUsable = ({ name, why }: { name: string; why: ResolutionRule }) => {
    const known = byName(own, name)
    return known ? known.standing !== 'archived' : why !== 'focused'
  }
  const { name, why } =
    seen.named === null
      ? (rungsOf(seen).find(isUsable) ?? branchStream(seen))
      : { name: seen.named, why: 'named' as const }
  const known = byName(own, name)
  return { kind: 'stream', name: known?.name ?? name, why, isNew: known === undefined }
}

function forResume(seen: ResolveFacts): ResumeChoice {
  const own = seen.streams.filter(({ foreign }) => !foreign)
  const open = own.filter(({ standing }) => standing !== 'archived')
  if (seen.named !== null) {
    const named = byName(own, seen.named)
    if (named) return { kind: 'stream', name: named.name, why: 'named', offered: false }
    const foreign = byName(seen.streams, seen.named)
    return foreign
      ? { kind: 'choose', candidates: candidatesOf([foreign], seen) }
      : { kind: 'unknown', name: seen.named }
  }
  const found = newestOf(firstOf(seen, open), seen, open)
  if (found)
    return { kind: 'stream', name: found.stream.name, why: found.why, offered: isOffered(found, seen) }
  const named = open.filter(({ name }) => !isSessionStream(name))
  const candidates = [...(named.length > 0 ? named : open), ...seen.streams.filter(({ foreign }) => foreign)]
  if (candidates.length === 0) return { kind: 'nothing' }
  return { kind: 'choose', candidates: candidatesOf(candidates, seen) }
}

interface ResolvedStream {
  stream: StreamFacts
  why: FoundBy
}

/** Saves that a session makes by itself go to a stream of its own: no name that a person would give. */
export const sessionStream = (id: string) =>
  `session-${id
    .replace(/[^A-Za-z0-9]/g, '')
    .slice(0, 12)
    .padEnd(12, '0')
    .toLowerCase()}`
/** The stream that a session saves to: its own, which no other session touches, until somebody saves in it by hand. */
export const streamOf = ({ id, stream }: Pick<Session, 'id' | 'stream'>) => stream ?? sessionStream(id)

export const isSessionStream = (name: string) =>
  /^session-(?=[a-z0-9]*[0-9])[a-z0-9]{12}$/.test(nameKey(name))

/** The stream of the last session, unless a newer save exists elsewhere. */
function newestOf(
  found: ResolvedStream | null,
  seen: ResolveFacts,
  open: StreamFacts[],
): ResolvedStream | null {
  const { worked = null, branch } = seen
  const stream = worked === null ? undefined : byName(open, worked.stream)
  if (!stream || found?.why === 'bound') return found
  if (found === null) return { stream, why: 'session' }
  // After a change of branch, the work of the new branch is wanted.
  const isElsewhere = stream.branch !== null && branch !== null && stream.branch !== branch
  return !isElsewhere && stream.updatedMs > found.stream.updatedMs ? { stream, why: 'session' } : found
}

function firstOf(seen: ResolveFacts, all: StreamFacts[]): ResolvedStream | null {
  // What sessions saved by themselves is found through the session, or asked for by its name.
  const open = all.filter(({ name }) => !isSessionStream(name))
  for (const { name, why } of rungsOf(seen)) {
    const stream = byName(why === 'bound' || why === 'focused' ? all : open, name)
    if (stream) return { stream, why }
  }
  // A stream of any name that was last saved on this branch, where only one was.
  const onBranch = seen.branch === null ? [] : open.filter(({ branch }) => branch === seen.branch)
  const [stream] = onBranch
  if (stream && onBranch.length === 1) return { stream, why: 'branch' }
  const origin = onBranch.length === 0 ? originStream(seen, open) : null
  if (origin) return { stream: origin, why: 'origin' }
  const [only] = open
  return only && open.length === 1 ? { stream: only, why: 'only' } : null
}

/** The work of the branch that this one was cut from: of several on it, the one that bears its name. */
function originStream({ branch, origins = [] }: ResolveFacts, open: StreamFacts[]): StreamFacts | null {
  if (branch === null) return null
  for (const origin of origins) {
    const saved = open.filter((one) => one.branch !== null && trunkOr(one.branch) === trunkOr(origin))
    const [found] = saved.length === 1 ? saved : saved.filter(isBranchs)
    const named = byName(open, branchSlug(trunkOr(origin)))
    // One that nobody knows the branch of may still bear its name.
    const stream = found ?? (named?.branch === null ? named : undefined)
    if (stream) return stream
  }
  return null
}

/**
 * A bound or named stream is told; one that was only found may be outdated, so it is offered. Of an origin only what
 * lasts is told.
 */
const isOffered = ({ stream, why }: ResolvedStream, seen: ResolveFacts) =>
  why !== 'bound' &&
  why !== 'origin' &&
  stream.branch !== null &&
  seen.branch !== null &&
  stream.branch !== seen.branch &&
  seen.nowMs - stream.updatedMs > OFFER_AFTER_MS

function candidatesOf(streams: readonly StreamFacts[], seen: ResolveFacts): StreamCandidate[] {
  return streams
    .map((stream) => ({
      name: stream.name,
      why: whyOf(stream, seen),
      updatedMs: stream.updatedMs,
      foreign: stream.foreign,
    }))
    .sort((a, b) => b.updatedMs - a.updatedMs || (a.name < b.name ? -1 : 1))
}

function whyOf(stream: StreamFacts, seen: ResolveFacts): StreamCandidate['why'] {
  if (stream.foreign) return 'foreign'
  if (seen.branch !== null && stream.branch === seen.branch) return 'branch'
  return stream.here ? 'here' : 'open'
}

const byName = (streams: readonly StreamFacts[], name: string) =>
  streams.find((stream) => nameKey(stream.name) === nameKey(name))

const TRUNK = /^(?:main|master|trunk)$/
export const trunkOr = (branch: string | null) => (branch === null || TRUNK.test(branch) ? 'main' : branch)

/** A save never goes to an archived or a foreign stream: it makes a new one, named with the next number. */
const isShut = ({ standing, foreign }: StreamFacts) => standing === 'archived' || foreign

/** The stream of a plan, whether it exists or not: what is another plan's, or a branch's own, is not taken over. */
function planStream(plan: string, { streams }: ResolveFacts): string {
  const isTaken = (stream: StreamFacts) =>
    isShut(stream) || (stream.plan == null ? isBranchs(stream) : stream.plan !== plan)
  return freeName(branchSlug(plan), streams, isTaken)
}

/** The stream bears the name of the branch on which it was saved. */
export const isBranchs = ({ name, branch }: Pick<StreamFacts, 'name' | 'branch'>) =>
  branch !== null && isSlugOf(name, branchSlug(trunkOr(branch)))

/** The stream of the present branch, whether it exists or not: two branches with one slug get two streams. */
function branchStream({ branch, streams }: ResolveFacts): { name: string; why: ResolutionRule } {
  const mine = trunkOr(branch)
  const isTaken = (stream: StreamFacts) =>
    isShut(stream) ||
    (stream.plan != null && isSlugOf(stream.name, branchSlug(stream.plan))) ||
    (stream.branch !== null && trunkOr(stream.branch) !== mine && isBranchs(stream))
  const free = freeName(branchSlug(mine), streams, isTaken)
  const renamed = streams.find((stream) => stream.isRenamed && !isShut(stream))
  const name = renamed && !byName(streams, free) ? renamed.name : free
  return { name, why: branch === null ? 'unbranched' : mine === 'main' ? 'main' : 'branch' }
}

/** `slug` or `slug-<n>`. A stream that was saved on another branch by its name is not that branch's. */
function isSlugOf(name: string, slug: string): boolean {
  const [key, start] = [nameKey(name), nameKey(slug)]
  return key.startsWith(start) && /^(?:-\d+)?$/.test(key.slice(start.length))
}

/** The name itself, or with the first number under which there is no stream that is taken. */
function freeName(name: string, streams: readonly StreamFacts[], isTaken: (stream: StreamFacts) => boolean) {
  const taken = new Set(streams.filter(isTaken).map((stream) => nameKey(stream.name)))
  for (let number = 1; ; number += 1) {
    const next = number === 1 ? name : `${name}-${number}`
    if (!taken.has(nameKey(next))) return next
  }
}

/** Room for a number behind it, and for what else a file name carries. */
const SLUG_LENGTH = 96

/**
 * A stream's name for a branch: safe as a file name on every system, and never empty. Branches that differ only in
 * what a name cannot hold have the same slug.
 */
export function branchSlug(branch: string): string {
  if (TRUNK.test(branch)) return 'main'
  const safe = branch.slice(0, 1_000).replace(/[^A-Za-z0-9._-]+/g, '-')
  const single = safe.replace(/-{2,}/g, '-').replace(/\.{2,}/g, '.')
  const slug = trimSlug(trimSlug(single).slice(0, SLUG_LENGTH))
  if (slug === '') return 'branch'
  return runNameProblem(slug) !== null || TRUNK.test(slug.toLowerCase()) ? `branch-${slug}` : slug
}

const trimSlug = (slug: string) => slug.replace(/^[._-]+|[._-]+$/g, '')
