// Uses the types that openapi-typescript made of the service's OpenAPI document; prints what it got.
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.js";

declare const process: { argv: string[]; exitCode: number };

const [, , baseUrl = "", text = ""] = process.argv;
const client = createClient<paths>({ baseUrl });

const related = await client.GET("/v1/related/{id}", {
  params: { path: { id: "a1" }, query: { size: 2, kind: ["version", "exact"], family: "same" } },
});
const relations: components["schemas"]["Relation"][] = related.data?.relations ?? [];
const passage: string | undefined = relations[0]?.evidence[0]?.hit.text;
const compared = await client.GET("/v1/compare/{a}/{b}", {
  params: { path: { a: "a1", b: "b1" } },
});
const kept: number | undefined = compared.data?.changes?.summary.kept;
const odd = await client.GET("/v1/documents/{id}", { params: { path: { id: "a/b c" } } });
const family = await client.GET("/v1/families/{id}", { params: { path: { id: "a1" } } });
const draft = await client.POST("/v1/duplicates", { body: { text } });
const batch = await client.POST("/v1/batch/related", { body: { ids: ["a1", "none"] } });
const missing = await client.GET("/v1/documents/{id}", { params: { path: { id: "none" } } });
const problem: components["schemas"]["ProblemDocument"] | undefined = missing.error;

console.log(JSON.stringify({
  ids: relations.map((relation) => relation.id),
  next: related.data?.next,
  passage,
  kept,
  odd: odd.data?.id,
  members: family.data?.members.map((member) => member.id),
  action: draft.data?.action,
  problems: batch.data?.answers.map((answer) => answer.problem?.status ?? null),
  missing: problem?.status,
}));
