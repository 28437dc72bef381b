import { transformWithOxc } from "vite";

/**
 * A loader of webpack: the compiler that the repository has, so that no second one is installed.
 *
 * @this {{ resourcePath: string, async(): (error: unknown, code?: string, map?: object) => void }}
 * @param {string} source
 */
export default function loadTypeScript(source) {
  const done = this.async();
  transformWithOxc(source, this.resourcePath).then(({ code, map }) => done(null, code, map), done);
}
