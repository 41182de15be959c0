# A hook of Schemathesis: each request has the address of another client, as a proxy would name it.
import itertools

import schemathesis

addresses = itertools.count()


@schemathesis.hook
def before_call(context, case, kwargs):
    number = next(addresses)
    case.headers = {
        **(case.headers or {}),
        "X-Forwarded-For": f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}",
    }
