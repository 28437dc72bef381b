import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { Image, type ImageFile } from "./image.tsx";

const photo: ImageFile = {
  src: "/a.jpg",
  width: 1_200,
  height: 800,
  sources: [
    { type: "image/avif", srcSet: "/a-640.avif 640w" },
    { type: "image/webp", srcSet: "/a-640.webp 640w" },
  ],
  preview: "data:image/webp;base64,AA",
};

it("an image waits until it is near, with its size and a preview in its place", () => {
  expect(renderToStaticMarkup(<Image src={photo} alt="A" className="wide" />)).toBe(
    '<picture><source type="image/avif" srcSet="/a-640.avif 640w" sizes="(max-width: 1200px) 100vw, 1200px"/>' +
      '<source type="image/webp" srcSet="/a-640.webp 640w" sizes="(max-width: 1200px) 100vw, 1200px"/>' +
      '<img decoding="async" class="wide" style="background-image:url(&quot;data:image/webp;base64,AA&quot;);background-size:cover"' +
      ' loading="lazy" alt="A" width="1200" height="800" src="/a.jpg"/></picture>',
  );
});

it("an image with priority is preloaded in its best format", () => {
  const html = renderToStaticMarkup(<Image src={photo} alt="A" sizes="50vw" priority preview={false} />);
  expect(html).toContain('rel="preload" as="image" type="image/avif" href="/a.jpg"');
  expect(html).toContain('imageSizes="50vw" fetchPriority="high"');
  expect(html).not.toMatch(/lazy|style=/);
});

it("one side follows from the other, and an image from elsewhere has both", () => {
  expect(renderToStaticMarkup(<Image src={photo} alt="" width={300} />)).toContain('width="300" height="200"');
  expect(renderToStaticMarkup(<Image src={photo} alt="" height={400} />)).toContain('width="600" height="400"');
  expect(renderToStaticMarkup(<Image src="https://a.example/b.png" alt="" width={30} height={20} />)).toBe(
    '<img decoding="async" loading="lazy" alt="" width="30" height="20" src="https://a.example/b.png"/>',
  );
});
