"""The Bot API over HTTP: ``/bot<token>/<method>``."""

import hmac

from aiohttp import web

from nekonymous_site.sandbox.bot_api_errors import BotApiError, too_many_requests, unauthorized
from nekonymous_site.sandbox.call_log import RecordedCall
from nekonymous_site.sandbox.fault_answers import answer_with_fault
from nekonymous_site.sandbox.json_types import JsonObject
from nekonymous_site.sandbox.methods.registry import MethodCall, find_method_name
from nekonymous_site.sandbox.parameters import Parameters, read_parameters
from nekonymous_site.sandbox.reply import Reply
from nekonymous_site.sandbox.send_costs import find_send_cost
from nekonymous_site.sandbox.simulation import Simulation


class BotApi:
    """Answers the bot's calls."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation

    def add_routes(self, application: web.Application) -> None:
        """Serve the calls of an application."""
        application.router.add_route("GET", "/bot{token}/{method}", self.answer_call)
        application.router.add_route("POST", "/bot{token}/{method}", self.answer_call)

    async def answer_call(self, request: web.Request) -> web.StreamResponse:
        """Check the token, meet the faults, run the method."""
        if not hmac.compare_digest(request.match_info["token"].encode(), self._simulation.bot.token.encode()):
            return web.json_response(unauthorized().as_json(), status=401)
        try:
            parameters = await read_parameters(request)
            call = MethodCall(find_method_name(request.match_info["method"]), parameters)
        except BotApiError as error:
            return web.json_response(error.as_json(), status=error.error_code)
        recorded = _record(self._simulation, call, via="http")
        fault = self._simulation.faults.take(call.name, parameters)
        if fault is None:
            reply = await _run(self._simulation, call, recorded)
            return web.json_response(reply.body, status=reply.status)
        recorded.fault = fault.kind.value
        return await answer_with_fault(
            fault, request=request, recorded=recorded, run=lambda: _run(self._simulation, call, recorded)
        )

    async def run_webhook_answer(self, answer: JsonObject) -> None:
        """Run the call that a webhook's answer asked for; like the real server, tell nobody if it fails."""
        try:
            call = MethodCall(
                find_method_name(str(answer["method"])),
                Parameters({name: value for name, value in answer.items() if name != "method"}),
            )
        except BotApiError:
            return
        await _run(self._simulation, call, _record(self._simulation, call, via="webhook_answer"))


def _record(simulation: Simulation, call: MethodCall, *, via: str) -> RecordedCall:
    return simulation.calls.record(RecordedCall(method=call.name, params=call.parameters.values, via=via))


async def _run(simulation: Simulation, call: MethodCall, recorded: RecordedCall) -> Reply:
    """Run a call, unless it comes too soon; what it counts is taken once it has succeeded."""
    cost = find_send_cost(simulation.world, call.name, call.parameters)
    try:
        seconds = simulation.rates.refuse(cost) if cost is not None else None
        if seconds is not None:
            raise too_many_requests(seconds)
        reply = Reply(200, await call.execute(simulation))
        if cost is not None:
            simulation.rates.note_sent(cost)
    except BotApiError as error:
        recorded.description = error.description
        reply = Reply(error.error_code, error.as_json())
    recorded.status = reply.status
    return reply
