import { describe, expect, it } from "vitest";
import { unsafeInSvg } from "./svg-file.ts";

const drawing = (inside: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 9 9">${inside}</svg>`;

describe("a drawing is refused that", () => {
  it.each([
    ["runs a script", "<script>alert(1)</script>", "an element <script>"],
    ["names the script by a prefix", '<s:SCRIPT xmlns:s="http://www.w3.org/2000/svg"/>', "an element <script>"],
    ["contains HTML", "<foreignObject><p>a</p></foreignObject>", "an element <foreignobject>"],
    ["handles events", '<rect onload = "alert(1)"/>', "an event handler (onload)"],
    ["handles events after a bracket in a value", `<rect id=">" onclick='a'/>`, "an event handler (onclick)"],
    ["leads to a script", '<a href=" java&#10;script:alert(1)">a</a>', "a javascript: address"],
    ["hides the script", '<a xlink:href="&#x6a;avascript:alert(1)">a</a>', "a javascript: address"],
    ["becomes a script", '<set attributeName="href" to="javascript:a()"/>', "a javascript: address"],
    ["loads a picture", '<image href="https://a.example/b.png"/>', "a reference to https://a.example/b.png"],
    ["uses another file", '<use xlink:href="icons.svg#a"/>', "a reference to icons.svg#a"],
    ["contains another drawing", '<image href="data:image/svg+xml,a"/>', "a reference to data:image/svg+xml,a"],
    ["paints with another file", '<rect fill="url(//a.example/#b)"/>', "a reference to //a.example/#b"],
    ["imports styles", "<style>@import 'a.css';</style>", "a style that imports another file (@import)"],
    ["loads by a style", "<style><![CDATA[p{fill:url('a.png')}]]></style>", "a reference to a.png"],
  ])("%s", (_, inside, found) => {
    expect(unsafeInSvg(drawing(inside))).toBe(found);
  });

  it("brings its own entities or stylesheets", () => {
    expect(unsafeInSvg(`<!DOCTYPE svg [<!ENTITY a "b">]>${drawing("")}`)).toBe("entities of its own");
    expect(unsafeInSvg(`<?xml-stylesheet href="a.css"?>${drawing("")}`)).toBe("a stylesheet of another file");
  });
});

it("a plain drawing is accepted", () => {
  const plain = `<?xml version="1.0"?><!-- <script> --><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://w3.org/a.dtd">
    ${drawing('<defs><g id="a"/></defs><style>.b{fill:url(#c)}</style><use xlink:href="#a"/><image href="data:image/png;base64,AA"/><text>once, on = "x"</text>')}`;
  expect(unsafeInSvg(plain)).toBeUndefined();
});
