"""Coins: what each account has, what was redeemed, and what steps came to (REW-1, REW-2, REW-5 to REW-7)."""

import datetime
import sqlite3
from collections import defaultdict

# What each event does to the balance of its account.
SIGNS = {
    "coins.earned": 1, "coins.corrected": -1, "coins.refunded": 1, "coins.rewarded": 1, "coins.rewardReversed": -1, "coins.adjusted": 1,
    "coins.expired": -1, "offers.redeemed": -1,
}
DAILY_CAP, STEPS_PER_COIN = 20_000, 100


def check(history, reads):
    balances, redeemed, refunded, voided = defaultdict(int), {}, set(), set()
    offers, transfers, granted = defaultdict(int), set(), defaultdict(int)
    for write in history.writes("rewards"):
        for row in write.rows:
            body = row.body
            if row.name in SIGNS:
                account = body["accountID"]
                balances[account] += SIGNS[row.name] * body["coins"]
                if balances[account] != body["balance"]:
                    yield f"{row.name} number {row.number} says the balance is {body['balance']}, and it is {balances[account]}"
                if balances[account] < 0:
                    yield f"the balance of {account} is {balances[account]} after number {row.number}"
                transfer = body.get("transferID") or body.get("redemptionID") + row.name
                if transfer in transfers:
                    yield f"the transfer {transfer} was made twice: {row.name} number {row.number}"
                transfers.add(transfer)
                if row.name in ("coins.earned", "coins.corrected"):
                    granted[account] += SIGNS[row.name] * body["coins"]
            if row.name == "offers.redeemed":
                redeemed[body["redemptionID"]] = body
                offers[body["offerID"]] += 1
            elif row.name == "coins.refunded":
                yield from refund(body, redeemed, refunded, row)
                if body["redemptionID"] in redeemed:
                    offers[redeemed[body["redemptionID"]]["offerID"]] -= 1
            elif row.name == "redemptions.voided":
                if body["redemptionID"] in voided:
                    yield f"the redemption {body['redemptionID']} was voided twice"
                voided.add(body["redemptionID"])
        yield from answers(write)
    for redemption in voided ^ refunded:
        yield f"the redemption {redemption} was voided without its coins, or refunded without being void"
    yield from final(history, reads, balances, redeemed, voided, offers, granted)
    yield from reading(history)
    yield from store(history, balances)


def refund(body, redeemed, refunded, row):
    former = redeemed.get(body["redemptionID"])
    if former is None or former["accountID"] != body["accountID"] or former["coins"] != body["coins"]:
        yield f"coins.refunded number {row.number} does not give back what {body['redemptionID']} had cost"
    if body["redemptionID"] in refunded:
        yield f"the redemption {body['redemptionID']} was refunded twice"
    refunded.add(body["redemptionID"])


def answers(write):
    """What a call was answered is what the events of its write say."""
    call = write.call
    if call is None or call["outcome"] != "acknowledged":
        return
    rows = {row.name: row.body for row in write.rows}
    if call["op"] == "offers.redeem":
        event = rows.get("offers.redeemed")
        if event is None or event["redemptionID"] != call["answer"]["id"] or event["coins"] != call["answer"]["coins"]:
            yield f"a redemption was answered with {call['answer']['id']}, and number {write.number} says {event}"
    elif call["op"] == "coins.adjust":
        event = rows.get("coins.adjusted")
        if event is None or event["transferID"] != call["answer"]["id"] or event["coins"] != call["body"]["coins"]:
            yield f"a correction was answered with {call['answer']['id']}, and number {write.number} says {event}"
    elif call["op"] == "redemptions.void":
        if "coins.refunded" not in rows or rows["coins.refunded"]["redemptionID"] != call["path"]["redemptionID"]:
            yield f"the redemption {call['path']['redemptionID']} was voided, and number {write.number} refunds nothing"


def final(history, reads, balances, redeemed, voided, offers, granted):
    steps = walked(history, reads["zoneHours"])
    scores = {}
    for account, read in reads["members"].items():
        if read["coins.getBalance"]["coins"] != balances[account]:
            yield f"{account} has {read['coins.getBalance']['coins']} coins, and should have {balances[account]}"
        total = sum(item["coins"] for item in read["coins.listTransfers"])
        if total != balances[account]:
            yield f"the transfers of {account} come to {total}, and should come to {balances[account]}"
        for item in read["redemptions.list"]:
            state = "voided" if item["id"] in voided else "open"
            if item["id"] not in redeemed or item["state"] != state:
                yield f"the redemption {item['id']} is {item['state']}, and should be {state}"
        own = {key for key, body in redeemed.items() if body["accountID"] == account}
        if own - {item["id"] for item in read["redemptions.list"]}:
            yield f"{account} lacks redemptions"
        yield from movement(account, read, steps, granted, scores)
        walked_far = any(item["earningSteps"] >= reads["threshold"] for item in read["movementDays.list"])
        if bool(read["badges.list"]) != walked_far:
            yield f"{account} has the badges {read['badges.list']}, and {'has' if walked_far else 'has not'} walked far enough on a day"
    for offer in reads["offers"]:
        remaining = reads["stocks"].get(offer["id"], offer["remaining"]) - offers[offer["id"]]
        if offer["id"] in reads["stocks"] and remaining != offer["remaining"]:
            yield f"of the offer {offer['id']} {offer['remaining']} are left, and {remaining} should be"
    yield from ranks(reads, scores)


def walked(history, zone_hours):
    """The steps of each account's days, by the samples that were taken and not deleted."""
    samples = {}
    for write in history.writes("activity"):
        call = write.call
        if call is None or call["flow"] == "any":
            continue
        if call["op"] == "movementSamples.record":
            for sample in call["body"]["samples"]:
                samples.setdefault((call["account"], sample["id"]), sample)
        elif call["op"] == "movementSamples.delete":
            for identifier in call["body"]["ids"]:
                if (call["account"], identifier) in samples:
                    samples[call["account"], identifier] = None
    days = defaultdict(lambda: defaultdict(int))
    for (account, _), sample in samples.items():
        if sample is not None:
            start = datetime.datetime.fromisoformat(sample["start"].replace("Z", "+00:00")) + datetime.timedelta(hours=zone_hours)
            days[account][start.date().isoformat()] += sample["amount"]
    return days


def movement(account, read, steps, granted, scores):
    days = {item["day"]: item for item in read["movementDays.list"]}
    for day in days.keys() | steps[account].keys():
        found = days.get(day, {"steps": 0})["steps"]
        if found != steps[account][day]:
            yield f"{account} walked {found} steps on {day}, and should have {steps[account][day]}"
    earning = sum(min(item["earningSteps"], DAILY_CAP) for item in days.values())
    scores[account] = sum(item["earningSteps"] for item in days.values())
    carried = read["coins.getBalance"]["carriedSteps"]
    if granted[account] * STEPS_PER_COIN + carried != earning or carried >= STEPS_PER_COIN:
        yield f"{account}: {granted[account]} coins and {carried} carried steps are not what {earning} steps come to"


def ranks(reads, scores):
    """One more than the number of people with a higher score, of those that the reader may see."""
    for account, read in reads["members"].items():
        own = read["leaderboards.list"].get("me")
        if own is None:
            continue
        if own["score"] != scores[account]:
            yield f"the leaderboard gives {account} {own['score']} steps, and it has {scores[account]}"
        apart = reads["apart"].get(account, set())
        rank = 1 + sum(1 for other, score in scores.items() if score > scores[account] and other not in apart)
        if own["rank"] != rank:
            yield f"{account} has rank {own['rank']}, and should have {rank}"


def had(log):
    """What each account had, from which number of the log on."""
    states = defaultdict(lambda: [(0, 0)])
    for row in log.each_row(f"name IN {tuple(SIGNS)}"):
        known = states[row.body["accountID"]]
        known.append((row.number, known[-1][1] + SIGNS[row.name] * row.body["coins"]))
    return states


def reading(history):
    """Each balance that was read is one that the account had, and no earlier one than the same session read before."""
    sessions, states = defaultdict(list), {}
    for call in history.calls:
        if call["op"] != "coins.getBalance" or call["outcome"] != "acknowledged":
            continue
        logs = history.logs_at(call)
        if logs is None:
            continue
        log = logs["rewards"]
        if log.epoch not in states:
            states[log.epoch] = had(log)
        coins, known = call["answer"]["coins"], states[log.epoch][call["account"]]
        reads = sessions[call["client"], call["session"]]
        earlier = history.latest(reads, call)
        # A number that was read before a backup is the same after it.
        number = next((number for number, state in known if state == coins and (earlier is None or number >= earlier[1])), None)
        if number is None:
            yield f"{call['client']} read {coins} coins (trace {call['trace']}), which it never had after what it had read before"
            return
        reads.append((call, number))


def store(history, balances):
    """The books themselves."""
    database = sqlite3.connect(f"file:{history.stores / 'rewards.sqlite'}?mode=ro", uri=True)
    total = database.execute("SELECT coalesce(sum(balance), 0) FROM ledger_accounts").fetchone()[0]
    if total != 0:
        yield f"the ledger's sum is {total}"
    wrong = database.execute(
        """
        SELECT count(*) FROM ledger_accounts a WHERE balance !=
          (SELECT coalesce(sum(coins), 0) FROM transfers WHERE credit_id = a.ledger_account_id) -
          (SELECT coalesce(sum(coins), 0) FROM transfers WHERE debit_id = a.ledger_account_id)
        """).fetchone()[0]
    database.close()
    if wrong:
        yield f"{wrong} balances are not the sum of their transfers"
