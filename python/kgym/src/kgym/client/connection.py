"""HTTP/1.1 on asyncio streams, as much of it as a client of ours needs."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from kgym.client.address import Address
from kgym.client.errors import Unreachable
from kgym.client.flow import Call, Reply

LONGEST_LINE = 64 << 10


class Connection:
    """One connection, kept open between requests; one request at a time."""

    def __init__(self, address: Address, reader: asyncio.StreamReader, writer: asyncio.StreamWriter):
        self._address, self._reader, self._writer = address, reader, writer
        self.reusable = True

    @classmethod
    async def open(cls, address: Address) -> Connection:
        reader, writer = await asyncio.open_connection(address.host, address.port, ssl=address.tls, limit=LONGEST_LINE)
        return cls(address, reader, writer)

    def close(self) -> None:
        self._writer.close()

    async def exchange(self, call: Call) -> Reply:
        self.reusable = False  # Until the whole answer was read.
        self._writer.write(self._head(call) + (call.body or b""))
        await self._writer.drain()
        status, headers = await self._read_head()
        while 100 <= status < 200:
            status, headers = await self._read_head()
        body = await self._read_body(status, headers)
        self.reusable = headers.get("connection", "").lower() != "close"
        return Reply(status, headers, body)

    def _head(self, call: Call) -> bytes:
        headers: dict[str, str] = {"Host": self._address.name, **self._address.headers}
        if call.body is not None:
            headers |= {"Content-Type": "application/json", "Content-Length": str(len(call.body))}
        lines = [f"{call.method} {self._address.prefix}{call.path} HTTP/1.1"] + [f"{name}: {value}" for name, value in headers.items()]
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")

    async def _read_head(self) -> tuple[int, dict[str, str]]:
        first = (await self._line()).split(" ", 2)
        if len(first) < 2 or not first[0].startswith("HTTP/1.") or not first[1].isdigit():
            raise Unreachable(f"{self._address.name} does not speak HTTP: {' '.join(first)[:80]!r}")
        headers: dict[str, str] = {}
        while line := await self._line():
            name, _, value = line.partition(":")
            headers[name.strip().lower()] = value.strip()
        return int(first[1]), headers

    async def _line(self) -> str:
        try:
            line = await self._reader.readuntil(b"\n")
        except asyncio.LimitOverrunError as error:
            raise Unreachable(f"{self._address.name} sent a line without an end") from error
        return line.decode("latin-1").rstrip("\r\n")

    async def _read_body(self, status: int, headers: Mapping[str, str]) -> bytes:
        if status in (204, 304):
            return b""
        if headers.get("transfer-encoding", "").lower() == "chunked":
            pieces = []
            while size := int((await self._line()).split(";")[0], 16):
                pieces.append(await self._reader.readexactly(size))
                await self._line()
            while await self._line():
                pass  # Trailers.
            return b"".join(pieces)
        if "content-length" in headers:
            return await self._reader.readexactly(int(headers["content-length"]))
        return await self._reader.read()
