"""Asks by the clients of PyPI what each line of the standard input says, and prints what they told, one line each."""

import asyncio
import json
import sys

import anthropic
import openai


class Telling:
    """What a client told so far."""

    def __init__(self):
        self.text, self.finish, self.usage = "", "", None
        self.pieces, self.calls = [], []

    def told(self, error=None):
        names = ("text", "pieces", "calls", "finish", "usage")
        return {**{name: getattr(self, name) for name in names}, "error": error}


class OpenAI:
    """PyPI openai."""

    def __init__(self, ask):
        self.ask = ask
        options = {"base_url": ask["url"] + "/v1", "api_key": ask["key"], "max_retries": ask.get("retries", 0)}
        self.client = openai.AsyncOpenAI(**options)

    def body(self, messages):
        names = self.ask["tools"]
        tools = [{"type": "function", "function": {"name": name, "parameters": {"type": "object"}}} for name in names]
        body = {"model": self.ask["model"], "messages": messages, "max_completion_tokens": 100}
        if "schema" in self.ask:
            json_schema = {"name": "answer", "strict": True, "schema": self.ask["schema"]}
            body["response_format"] = {"type": "json_schema", "json_schema": json_schema}
        return {**body, "tools": tools} if tools else body

    def content(self):
        if "image" not in self.ask:
            return self.ask["question"]
        image = {"url": "data:image/png;base64," + self.ask["image"]}
        return [{"type": "text", "text": self.ask["question"]}, {"type": "image_url", "image_url": image}]

    async def answer(self, messages, telling):
        if not self.ask["stream"]:
            return await self.client.chat.completions.create(**self.body(messages))
        options = {"include_usage": True}
        async with self.client.chat.completions.stream(**self.body(messages), stream_options=options) as stream:
            async for event in stream:
                if event.type != "content.delta" or event.delta == "":
                    continue
                telling.pieces.append(event.delta)
                if self.ask["leaves"]:
                    return None
            return await stream.get_final_completion()

    async def converse(self, telling):
        messages = [{"role": "user", "content": self.content()}]
        while True:
            answer = await self.answer(messages, telling)
            if answer is None:
                return
            message = answer.choices[0].message
            telling.text, telling.finish = message.content or "", answer.choices[0].finish_reason
            telling.usage = answer.usage and [answer.usage.prompt_tokens, answer.usage.completion_tokens]
            calls = message.tool_calls or []
            for call in calls:
                arguments = json.loads(call.function.arguments)
                telling.calls.append({"id": call.id, "name": call.function.name, "arguments": arguments})
            if not self.ask["tools"] or not calls:
                return
            results = [{"role": "tool", "tool_call_id": call.id, "content": "ok"} for call in calls]
            messages += [message, *results]

    async def embed(self):
        answer = await self.client.embeddings.create(model=self.ask["model"], input=self.ask["text"])
        return answer.data[0].embedding

    @staticmethod
    def code(error):
        return getattr(error, "code", None)


class Anthropic:
    """PyPI anthropic."""

    def __init__(self, ask):
        self.ask = ask
        options = {"base_url": ask["url"], "api_key": ask["key"], "max_retries": ask["retries"]}
        self.client = anthropic.AsyncAnthropic(**options)

    def body(self, messages):
        tools = [{"name": name, "input_schema": {"type": "object"}} for name in self.ask["tools"]]
        body = {"model": self.ask["model"], "max_tokens": 100, "messages": messages}
        if "schema" in self.ask:
            body["output_config"] = {"format": {"type": "json_schema", "schema": self.ask["schema"]}}
        return {**body, "tools": tools} if tools else body

    def content(self):
        if "image" not in self.ask:
            return self.ask["question"]
        source = {"type": "base64", "media_type": "image/png", "data": self.ask["image"]}
        return [{"type": "text", "text": self.ask["question"]}, {"type": "image", "source": source}]

    async def answer(self, messages, telling):
        if not self.ask["stream"]:
            return await self.client.messages.create(**self.body(messages))
        async with self.client.messages.stream(**self.body(messages)) as stream:
            async for piece in stream.text_stream:
                telling.pieces.append(piece)
                if self.ask["leaves"]:
                    return None
            return await stream.get_final_message()

    async def converse(self, telling):
        messages = [{"role": "user", "content": self.content()}]
        while True:
            answer = await self.answer(messages, telling)
            if answer is None:
                return
            telling.text = "".join(block.text for block in answer.content if block.type == "text")
            telling.finish = answer.stop_reason
            telling.usage = [answer.usage.input_tokens, answer.usage.output_tokens]
            calls = [block for block in answer.content if block.type == "tool_use"]
            telling.calls += [{"id": call.id, "name": call.name, "arguments": call.input} for call in calls]
            if not self.ask["tools"] or not calls:
                return
            results = [{"type": "tool_result", "tool_use_id": call.id, "content": "ok"} for call in calls]
            messages += [{"role": "assistant", "content": answer.content}, {"role": "user", "content": results}]

    @staticmethod
    def code(error):
        body = getattr(error, "body", None)
        failure = body.get("error") if isinstance(body, dict) else None
        return (failure or {}).get("details", {}).get("error_code")


clients = {"openai": OpenAI, "anthropic": Anthropic}


async def answer(client, request):
    """Answers one line."""
    if request["do"] == "embed":
        return await client.embed()
    telling = Telling()
    try:
        await client.converse(telling)
        return telling.told()
    except (Exception, asyncio.CancelledError) as error:
        status = getattr(error, "status_code", None)
        return telling.told({"type": type(error).__name__, "status": status, "code": client.code(error)})


async def take(kind, request):
    """Prints the answer to one line."""
    told = await answer(clients[kind](request["ask"]), request)
    print(json.dumps({"id": request["id"], "answer": told}), flush=True)


async def main(kind):
    """Answers lines until there are no more."""
    tasks = {}
    while line := await asyncio.to_thread(sys.stdin.readline):
        request = json.loads(line)
        if request.get("leave"):
            tasks[request["id"]].cancel()
        else:
            tasks[request["id"]] = asyncio.create_task(take(kind, request))


asyncio.run(main(sys.argv[1]))
