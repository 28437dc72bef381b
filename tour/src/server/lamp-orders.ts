import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Schema } from "holdfast/server";

export const orderSchema: Schema<{ lamp: string }> = {
  "~standard": {
    version: 1,
    vendor: "tour",
    validate: (value) => {
      const given: unknown = typeof value === "object" && value !== null ? Reflect.get(value, "lamp") : undefined;
      const lamp = typeof given === "string" ? given.trim() : "";
      if (lamp === "") return { issues: [{ message: "Say which lamp.", path: ["lamp"] }] };
      if (lamp.length > 60) return { issues: [{ message: "Keep it under 60 characters.", path: ["lamp"] }] };
      return { value: { lamp } };
    },
  },
};

interface LampOrder {
  number: number;
  lamp: string;
  how: "at once" | "run again";
}

interface Stored {
  isAway: boolean;
  orders: readonly LampOrder[];
}

/**
 * Orders of lamps, and the switch that breaks them. In a file, because `holdfast kept run` is another process; only the
 * last few, because a public form must not fill the disk.
 */
class LampOrders {
  get isProviderAway(): boolean {
    return read().isAway;
  }

  switchProvider(): void {
    const stored = read();
    write({ ...stored, isAway: !stored.isAway });
  }

  add(order: Omit<LampOrder, "number">): void {
    const stored = read();
    const number = (stored.orders[0]?.number ?? 0) + 1;
    write({ ...stored, orders: [{ ...order, number }, ...stored.orders].slice(0, 5) });
  }

  latest(): readonly LampOrder[] {
    return read().orders;
  }
}

const folder = process.env.HOLDFAST_DATA ?? ".holdfast";
const file = join(folder, "lamp-orders.json");

function read(): Stored {
  try {
    // Written by this file alone.
    return JSON.parse(readFileSync(file, "utf8")) as Stored;
  } catch {
    return { isAway: false, orders: [] };
  }
}

function write(stored: Stored): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, JSON.stringify(stored));
}

export const lampOrders = new LampOrders();
