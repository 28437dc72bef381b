import { Script } from "node:vm";
import { expect, test } from "vitest";
import { asScript } from "./as-script.js";

const files = { script: "./it.script.js", runner: "./run-compiled.js" };

test("a module becomes a script that is given what the module imports and returns what it exports", async () => {
  const code =
    'import{join as j,sep}from"node:path";var here=import.meta.url;' +
    'async function load(){return (await import("node:os")).EOL}function both(){return j("a","b")+sep+here}' +
    "export{both as b,load};\n//# sourceMappingURL=it.js.map";
  const { script, module } = asScript(code, files);
  const run = new Script(script).runInThisContext();
  const given = [{ join: (...names: string[]) => names.join("|"), sep: "!" }];
  const exported = run({ url: "file:///it.js" }, async () => ({ EOL: "end" }), given);
  expect(exported.b()).toBe("a|b!file:///it.js");
  expect(await exported.load()).toBe("end");
  expect(module).toContain('import * as given0 from "node:path";');
  expect(module).toContain("export const { b,load } = run(import.meta, (id) => import(id), [given0]);");
  expect(module.endsWith("\n//# sourceMappingURL=it.js.map")).toBe(true);
});

test("a script keeps the lines and columns of its module, one line below", () => {
  const code =
    'import{join as j}from"node:path";var here=import.meta.url;function at(){return j}\nvar b=2;export{at,b};';
  const [, first = "", second = ""] = asScript(code, files).script.split("\n");
  expect(first.indexOf("function at()")).toBe(code.indexOf("function at()"));
  expect(second.startsWith("var b=2;return{at:at,b:b};")).toBe(true);
});

test("a function of a script may have variables of any name, but those that the script is given", () => {
  const code =
    'import{sep}from"node:path";function url(meta,given,lazily){return [import.meta.url,meta,given,lazily,sep]}' +
    "var given=1;export{url,given};";
  const { script } = asScript(code, files);
  const { url } = new Script(script).runInThisContext()({ url: "file:///it.js" }, undefined, [{ sep: "!" }]);
  expect(url(1, 2, 3)).toEqual(["file:///it.js", 1, 2, 3, "!"]);
  for (const name of ["$meta$", "$load$", "$given$"])
    expect(() => asScript(`function a(${name}){}export{a};`, files), name).toThrow("which its code uses itself");
});

test("a module that would mean something else as a script is refused", () => {
  expect(() => asScript("var a=1;function b(){a=2}export{a,b};", files)).toThrow("whose value changes");
  for (const change of [
    "[a]=[2]",
    "[[,...a]]=b",
    "({x:a}=b)",
    "({a}=b)",
    "({x:[a=1]}=b)",
    "({...a}=b)",
    "(a)=2",
    "a++",
  ])
    expect(() => asScript(`var a=1,b;function c(){${change}}export{a,c};`, files), change).toThrow(
      "whose value changes",
    );
  for (const loop of ["for(a of b);", "for([a] of b);", "for(a in b);"])
    expect(() => asScript(`var a=1,b;function c(){${loop}}export{a,c};`, files), loop).toThrow("whose value changes");
  const other = "var a={},b;function c(){a.x=1;[a.y]=b;({x:b}=a);for(a.x of b);for(const d of b);}export{a,c};";
  expect(() => asScript(other, files)).not.toThrow();
  expect(() => asScript("var a=1,b=2,c=b<!--a;export{c};", files)).toThrow("as a comment");
  expect(() => asScript('var a="<!--";export{a};', files)).not.toThrow();
  expect(() => asScript('import all from"node:path";export{all};', files)).toThrow("in lists");
  expect(() => asScript("export default 1;", files)).toThrow("in lists");
});
