"""Reads an iCalendar file as a calendar program would, with the icalendar library, and says on which days its events are.

    expand.py FROM TO DAY... < feed.ics

One JSON object: the calendar's name, its time zones' offsets at noon UTC of each DAY (by its own definition alone), and of each event uid,
summary, description, categories, the local beginnings within FROM...TO, and of each alarm the instants in UTC at which it goes off.
"""

import datetime
import json
import sys

from dateutil.rrule import rrulestr
from icalendar import Calendar

raw = sys.stdin.buffer.read()
for line in raw.split(b"\r\n"):
    assert len(line) <= 75, line
    assert b"\n" not in line and b"\r" not in line, line

calendar = Calendar.from_ical(raw)
low, high, *days = map(datetime.date.fromisoformat, sys.argv[1:])
utc = datetime.timezone.utc

zones = {}
for zone in calendar.walk("VTIMEZONE"):
    own = zone.to_tz(lookup_tzid=False)
    noons = [datetime.datetime(day.year, day.month, day.day, 12, tzinfo=utc) for day in days]
    zones[str(zone["TZID"])] = [int(noon.astimezone(own).utcoffset().total_seconds()) for noon in noons]


def beginnings(event):
    """The local beginnings of an event that repeats, less those that are left out."""
    start = event["DTSTART"].dt
    is_day = not isinstance(start, datetime.datetime)
    naive = datetime.datetime(start.year, start.month, start.day) if is_day else start.replace(tzinfo=None)
    rule = event["RRULE"].to_ical().decode()
    if not is_day and "UNTIL" in event["RRULE"]:
        # The rule is followed by the clocks of the zone, its end is in UTC.
        until = event["RRULE"]["UNTIL"][0]
        assert until.tzinfo is not None
        local = until.astimezone(start.tzinfo).strftime("%Y%m%dT%H%M%S")
        rule = ";".join(f"UNTIL={local}" if part.startswith("UNTIL=") else part for part in rule.split(";"))
    left_out = event.get("EXDATE", [])
    excluded = set()
    for group in left_out if isinstance(left_out, list) else [left_out]:
        for item in group.dts:
            day = item.dt
            excluded.add(datetime.datetime(day.year, day.month, day.day) if is_day else day.replace(tzinfo=None))
    first = datetime.datetime(low.year, low.month, low.day)
    last = datetime.datetime(high.year, high.month, high.day, 23, 59, 59)
    found = [at for at in rrulestr(rule, dtstart=naive).between(first, last, inc=True) if at not in excluded]
    return is_day, start, found


events = []
for event in calendar.walk("VEVENT"):
    is_day, start, found = beginnings(event)
    zone = utc if is_day else start.tzinfo
    alarms = []
    for alarm in event.walk("VALARM"):
        trigger = alarm["TRIGGER"].dt
        # Days by the calendar, the rest by the clock.
        alarms.append([
            (at.replace(tzinfo=zone).astimezone(utc) + trigger).strftime("%Y-%m-%dT%H:%M") for at in found
        ])
    categories = event.get("CATEGORIES")
    events.append({
        "uid": str(event["UID"]),
        "summary": str(event["SUMMARY"]),
        "description": str(event.get("DESCRIPTION", "")),
        "categories": [str(category) for category in categories.cats] if categories else [],
        "isDay": is_day,
        "seconds": int(event["DURATION"].dt.total_seconds()) if "DURATION" in event else 0,
        "starts": [at.strftime("%Y-%m-%d" if is_day else "%Y-%m-%dT%H:%M") for at in found],
        "alarms": alarms,
    })

json.dump({"name": str(calendar["X-WR-CALNAME"]), "zones": zones, "events": events}, sys.stdout)
