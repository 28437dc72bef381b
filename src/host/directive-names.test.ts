import { expect, it } from "vitest";
import { problemOfDirective } from "./directive-names.ts";

it("takes every well-formed name, known or of a newer browser", () => {
  for (const name of ["img-src", "upgrade-insecure-requests", "webrtc", "navigate-to", "model-src", "x"])
    expect(problemOfDirective(name), name).toBeUndefined();
});

it.each([
  ["img", "img-src"],
  ["imgsrc", "img-src"],
  ["imgSrc", "img-src"],
  ["img_src", "img-src"],
  ["Img-Src", "img-src"],
  ["img-scr", "img-src"],
  ["script-srcs", "script-src"],
  ["scrpt-src", "script-src"],
  ["frame-ancestor", "frame-ancestors"],
  ["sandbux", "sandbox"],
  ["script-src_elem", "script-src-elem"],
])("says which name was probably meant by %s", (name, meant) => {
  expect(problemOfDirective(name)).toEqual({ kind: "misspelled", meant });
});

it("refuses what would end the directive or begin another policy", () => {
  for (const name of ["", "-src", "a b", "img-src; script-src", "a,b", "a\nb", "Model-Src", "größe"])
    expect(problemOfDirective(name), name).toEqual({ kind: "malformed" });
});
