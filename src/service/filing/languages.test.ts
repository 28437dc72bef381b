import { describe, expect, it } from "vitest";
import { readEvent } from "#protocol";
import { groupEvent } from "../grouping/group-event.ts";
import { markInApp } from "../grouping/in-app.ts";
import { titleLine, titleOf } from "../grouping/title.ts";

interface Sample {
  readonly language: string;
  readonly platform: string;
  readonly type: string;
  readonly value?: string;
  readonly frames: readonly object[];
  readonly title: string;
  readonly culprit: string;
  /** Compared for grouping, besides the type. */
  readonly keys: readonly string[];
}

/** In the form of each language's official client, reduced to the parts that affect title and grouping. */
const samples: readonly Sample[] = [
  {
    language: "PHP",
    platform: "php",
    type: "App\\CartException",
    value: "Cart 77 is empty",
    frames: [
      { filename: "/vendor/symfony/HttpKernel.php", function: "HttpKernel::handle", lineno: 163, in_app: false },
      { filename: "/src/CartController.php", function: "App\\CartController::show", lineno: 22, in_app: true },
    ],
    title: "App\\CartException: Cart 77 is empty",
    culprit: "/src/CartController.php:22 App\\CartController::show",
    keys: ["src/CartController.php App\\CartController::show"],
  },
  {
    language: "Java, whose client leaves it open what belongs to the application",
    platform: "java",
    type: "IllegalStateException",
    value: "Order 4711 is broken",
    frames: [
      {
        module: "org.springframework.web.servlet.FrameworkServlet",
        function: "doGet",
        filename: "FrameworkServlet.java",
      },
      { module: "com.shop.Orders", function: "lambda$show$3", filename: "Orders.java", lineno: 44 },
      { module: "java.util.Objects", function: "requireNonNull", filename: "Objects.java", lineno: 209 },
    ],
    title: "IllegalStateException: Order 4711 is broken",
    culprit: "Orders.java:44 lambda$show$3",
    keys: ["com.shop.Orders lambda$show$"],
  },
  {
    language: "Kotlin on Android, after its names were shortened",
    platform: "java",
    type: "NullPointerException",
    frames: [
      { module: "com.android.internal.os.ZygoteInit", function: "main", in_app: false },
      { module: "f.a.c", function: "b", filename: "SourceFile", lineno: 3, in_app: true },
    ],
    title: "NullPointerException",
    culprit: "SourceFile:3 b",
    keys: ["f.a.c b"],
  },
  {
    language: "C#",
    platform: "csharp",
    type: "System.NullReferenceException",
    value: "Object reference not set.",
    frames: [
      { function: "void Program.<Main>b__0_1()", package: "Shop, Version=1.0.0.0", in_app: true },
      { function: "T Enumerable.First<T>()", package: "System.Linq, Version=8.0.0.0", in_app: false },
    ],
    title: "System.NullReferenceException: Object reference not set.",
    culprit: "Shop void Program.<Main>b__0_1()",
    keys: ["Shop void Program.<Main>b__()"],
  },
  {
    language: "Swift",
    platform: "cocoa",
    type: "EXC_BAD_ACCESS",
    value: "null pointer",
    frames: [
      { function: "main", package: "/private/var/Shop.app/Shop", in_app: true },
      { function: "-[Cart pay:]", package: "/private/var/Shop.app/Shop", in_app: true },
      { instruction_addr: "0x1a8b", package: "/System/Library/UIKitCore", in_app: false },
    ],
    title: "EXC_BAD_ACCESS: null pointer",
    culprit: "Shop -[Cart pay:]",
    keys: ["Shop -[Cart pay:]", "Shop main"],
  },
  {
    language: "Dart",
    platform: "other",
    type: "StateError",
    value: "Bad state: No element",
    frames: [
      {
        abs_path: "package:shop/cart.dart",
        filename: "cart.dart",
        function: "_Cart.build.<fn>",
        lineno: 21,
        in_app: true,
      },
    ],
    title: "StateError: Bad state: No element",
    culprit: "cart.dart:21 _Cart.build.<fn>",
    keys: ["cart.dart _Cart.build.<fn>"],
  },
  {
    language: "Elixir",
    platform: "elixir",
    type: "FunctionClauseError",
    value: "no clause",
    frames: [
      {
        module: "Elixir.Shop.Cart",
        function: "Shop.Cart.total/1",
        filename: "lib/shop/cart.ex",
        lineno: 12,
        in_app: true,
      },
    ],
    title: "FunctionClauseError: no clause",
    culprit: "lib/shop/cart.ex:12 Shop.Cart.total/1",
    keys: ["Elixir.Shop.Cart Shop.Cart.total/1"],
  },
  {
    language: "Rust",
    platform: "native",
    type: "panic",
    value: "the len is 3 but the index is 7",
    frames: [
      { function: "std::rt::lang_start", module: "std::rt", in_app: false },
      { function: "shop::total::h0123456789abcdef", module: "shop", filename: "cart.rs", lineno: 9, in_app: true },
    ],
    title: "panic: the len is 3 but the index is 7",
    culprit: "cart.rs:9 shop::total::h0123456789abcdef",
    keys: ["shop shop::total"],
  },
];

describe("a report", () => {
  it.each(samples)("a report of $language is titled and grouped by its author's code", (sample) => {
    const { platform, type, value, frames } = sample;
    const thread = { id: 0, crashed: true, stacktrace: { frames } };
    // The stack is part of the exception, or of the thread that threw it.
    for (const event of [
      { platform, exception: { values: [{ type, value, stacktrace: { frames } }] } },
      { platform, exception: [{ type, value, thread_id: 0 }], threads: { values: [{ id: 1 }, thread] } },
    ]) {
      const reading = readEvent(event);
      if (reading.kind !== "read") throw new Error(reading.why);
      const read = markInApp(reading.value);
      const title = titleOf(read);
      expect(titleLine(title.type, title.text)).toBe(sample.title);
      expect(title.culprit).toBe(sample.culprit);
      expect(groupEvent(read)[0].reason).toEqual({ rule: "stack", parts: [type, ...sample.keys] });
    }
  });
});
