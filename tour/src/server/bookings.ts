import type { Schema } from "holdfast/server";

export interface Booking {
  name: string;
  date: string;
  time: string;
}

/** Any Standard Schema works; this one is written by hand to show how small it is. */
export const bookingSchema: Schema<Booking> = {
  "~standard": {
    version: 1,
    vendor: "tour",
    validate: (value) => {
      const { name, date, time } = readFields(value);
      const issues = [
        ...(name === "" ? [{ message: "Say who is coming.", path: ["name"] }] : []),
        ...(name.length > 60 ? [{ message: "Keep it under 60 characters.", path: ["name"] }] : []),
        ...(Number.isNaN(Date.parse(date)) ? [{ message: "Choose a day.", path: ["date"] }] : []),
        ...(Date.parse(date) < Date.now()
          ? [{ message: "That day is over. Choose a later one.", path: ["date"] }]
          : []),
        ...(times.includes(time) ? [] : [{ message: "Choose one of the times.", path: ["time"] }]),
      ];
      return issues.length > 0 ? { issues } : { value: { name, date, time } };
    },
  },
};

const times: readonly string[] = ["18:00", "19:30", "21:00"];

function readFields(value: unknown): Booking {
  const field = (name: string): string => {
    const given: unknown = typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
    return typeof given === "string" ? given.trim() : "";
  };
  return { name: field("name"), date: field("date"), time: field("time") };
}

/** In memory, and only the last few: a public form must not fill the disk. */
class Bookings {
  #kept: Booking[] = [];

  isTaken({ date, time }: Booking): boolean {
    return this.#kept.some((other) => other.date === date && other.time === time);
  }

  add(booking: Booking): void {
    this.#kept = [booking, ...this.#kept].slice(0, 5);
  }

  latest(): readonly Booking[] {
    return this.#kept;
  }

  /** Returns how many were removed. A booking counts until its day is over in UTC. */
  removeBefore(now: Date): number {
    const today = now.toISOString().slice(0, 10);
    const before = this.#kept.length;
    this.#kept = this.#kept.filter(({ date }) => date >= today);
    return before - this.#kept.length;
  }
}

export const bookings = new Bookings();
