import { expect, test } from 'vitest'
import { AT, LATER, WORKSPACE } from '../make.ts'
import { BESIDE } from '../make-work.ts'
import type { OpenLocalState } from '../subjects.ts'

/** Where a workspace is, and whether it is trusted there. */
export function provesTrust(open: OpenLocalState): void {
  test('a workspace keeps its id when its path changes', async () => {
    const local = await open()
    await local.seeWorkspace(WORKSPACE, AT)
    await local.seeWorkspace({ ...WORKSPACE, path: '/somewhere/else' }, LATER)
    expect(await local.listWorkspaces()).toEqual([{ ...WORKSPACE, path: '/somewhere/else' }])
  })

  test('trust holds for one workspace at one path, until it is taken', async () => {
    const local = await open()
    for (const workspace of [WORKSPACE, BESIDE]) await local.seeWorkspace(workspace, AT)
    const { id, path } = WORKSPACE
    expect(await local.isTrusted(id, path)).toBe(false)
    await local.setTrust(id, path, AT)
    expect(await local.isTrusted(id, path)).toBe(true)
    expect(await local.isTrusted(id, BESIDE.path)).toBe(false)
    expect(await local.isTrusted(BESIDE.id, path)).toBe(false)
    await local.setTrust(id, '/moved', LATER)
    expect(await local.isTrusted(id, '/moved')).toBe(true)
    expect(await local.isTrusted(id, path)).toBe(false)
    await local.setTrust(BESIDE.id, null, LATER)
    expect(await local.isTrusted(id, '/moved')).toBe(true)
    for (const _ of ['once', 'again']) await local.setTrust(id, null, LATER)
    expect(await local.isTrusted(id, '/moved')).toBe(false)
    expect(await local.isTrusted(id, '')).toBe(false)
    await local.setTrust(id, path, LATER)
    expect(await local.isTrusted(id, path)).toBe(true)
  })
}
