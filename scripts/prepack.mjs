// `npm pack` and `npm publish`: the package holds what is built, so it is built first.
import { setup } from './setup.mjs'

setup()
