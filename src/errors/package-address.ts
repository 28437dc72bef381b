/**
 * Returns the address of this package's folder, without a slash at its end, from that of one of its modules. The module
 * passes its own address, because a built start has many of them in one file. The innermost `src` or `dist` counts:
 * people have all their projects in a folder with such a name.
 */
export function packageAddressOf(moduleUrl: string): string {
  return moduleUrl.replace(/^([^?]*)\/(?:dist|src)\/.*$/, "$1");
}

/** The addresses of the folders with this package's code, with a slash at their ends. */
export function codeAddressesOf(moduleUrl: string): string[] {
  return ["src", "dist"].map((name) => `${packageAddressOf(moduleUrl)}/${name}/`);
}
