import { createFileRoute } from "@tanstack/react-router";
import { About } from "../shared/pages";

export const Route = createFileRoute("/about")({ component: About });
