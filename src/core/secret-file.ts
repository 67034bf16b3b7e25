/** Files that are secrets by their name: what is in them is never kept, in whatever form. */
const NAMES =
  /^(?:\.env(?:\..+|rc)?|.+\.env|.+\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk|tfvars)|id_(?:rsa|dsa|ecdsa|ed25519)[^/]*|[._]netrc|\.?pgpass(?:\.conf)?|\.npmrc|\.pypirc|\.my\.cnf|\.git-credentials|\.htpasswd|\.vault-token|\.dockercfg|(?:credentials?|secrets?|service[-_]account)[^/.]*(?:\.(?:json|ya?ml|toml|ini|csv|txt|xml|env|properties|db))?)$/i
const PATHS =
  /(?:^|\/)(?:\.aws\/credentials|\.docker\/config\.json|\.kube\/config|\.config\/gh\/hosts\.yml|\.gnupg\/.+|\.ssh\/(?!config$|known_hosts|authorized_keys).+)$/i
/** What a repository shows instead of them, and the public halves of keys. */
const SHOWN = /\.(?:example|sample|template|tmpl|dist|defaults?|pub)$|\.(?:example|sample|template)\./i

/** Whether a path, with slashes of either kind, leads to such a file. */
export function isSecretFile(path: string): boolean {
  const plain = path.replace(/\\/g, '/')
  const name = plain.slice(plain.lastIndexOf('/') + 1)
  return !SHOWN.test(name) && (NAMES.test(name) || PATHS.test(plain))
}

/** Whether a command names such a file: what it prints may be the file. */
export const namesSecretFile = (command: string) =>
  command.split(/[\s"'`=<>|;&(){}$,:@]+/).some((word) => word !== '' && isSecretFile(word))
