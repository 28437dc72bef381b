import { expect, test } from "vitest";
import { problemOfAssets } from "./assets-address.ts";

test.each(["https://cdn.example/shop", "https://cdn.example", "http://localhost:8080/files"])(
  "browsers can get files from %s",
  (address) => expect(problemOfAssets(address)).toBeUndefined(),
);

test.each([
  7,
  "",
  "cdn.example/shop",
  "/files",
  "ftp://cdn.example",
  "https://cdn.example/?v=1",
  "https://cdn.example/#a",
])("%s is refused, with a reason", (address) => expect(problemOfAssets(address)).toEqual(expect.any(String)));
