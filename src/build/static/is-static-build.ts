/** Set by `buildApplication`: a plugin in the application's own vite.config must know it too, and so must the pages. */
const variable = "HOLDFAST_STATIC";

export function isStaticBuild(): boolean {
  return process.env[variable] === "1";
}

export function setStaticBuild(isStatic: boolean): void {
  if (isStatic) process.env[variable] = "1";
  else delete process.env[variable];
}
