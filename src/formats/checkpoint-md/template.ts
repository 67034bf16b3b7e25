import { stringify } from 'yaml'

interface TemplateFields {
  id: string
  created: string
  anchor: string | null
  parent: string | null
  current: boolean
}

/** What a new document is to be filled with; as comments, so that an untouched one is seen to be empty. */
const GUIDE = `## Problem

<!-- The problem, in a few sentences. It rarely changes. -->

## Session Intent

<!-- What is to be achieved, and what it must satisfy. -->

## Essential Information

### Decisions

<!-- Choices that are made and not to be asked again, each with its why. -->

### Technical Context

<!-- Stack, configuration, environment: facts that the work rests on. -->

### Breadcrumbs

| Type | Reference | Hint |
|------|-----------|------|

### Play-By-Play

<!-- What was done, in order: step, action, outcome. -->

### Artifact Trail

| File | Status | Key Change |
|------|--------|------------|

### Current State

<!-- What exists now. -->

### Next Actions

<!-- What comes next, and what blocks it. -->

## User Rules

<!-- Constraints and preferences to follow. -->
`

/** A new document: its front matter, and the sections to fill. */
export function newDocument({ id, created, anchor, parent, current }: TemplateFields): string {
  const front = {
    ...{ checkpoint: id, created },
    ...(anchor !== null && { anchor }),
    ...(parent !== null && { parent }),
    status: current ? 'current' : 'active',
  }
  return `---\n${stringify(front, { lineWidth: 0 })}---\n\n${GUIDE}`
}
