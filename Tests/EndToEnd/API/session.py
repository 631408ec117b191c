"""How Schemathesis signs in: by the refresh token that the test was given, since a login's password would be made to wait for its guesses."""

import json
import os
import urllib.request

import schemathesis


# Access tokens work for ten minutes.
@schemathesis.auth(refresh_interval=300)
class Session:
    refresh_token = os.environ["RACHA_API_REFRESH_TOKEN"]

    def get(self, case, context):
        request = urllib.request.Request(
            os.environ["RACHA_API_URL"] + "/v1/sessions/refresh",
            json.dumps({"refreshToken": Session.refresh_token}).encode(),
            {"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=60) as answer:
            session = json.load(answer)
        Session.refresh_token = session["refreshToken"]
        return session["accessToken"]

    def set(self, case, token, context):
        case.headers["Authorization"] = f"Bearer {token}"
