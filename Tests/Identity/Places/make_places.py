"""Makes places.mmdb, a database of places in MaxMind's format and of the shape of GeoLite2-City, for the tests.

Run it with a Python that has mmdb_writer: python make_places.py. The networks are those that documentation may use.
"""

from pathlib import Path

from mmdb_writer import MMDBWriter
from netaddr import IPSet


def place(country=None, names=None, city=None, location=None):
    result = {}
    if country:
        result["country"] = {"iso_code": country, "names": names or {}}
    if city:
        result["city"] = {"names": city}
    if location:
        result["location"] = {"latitude": location[0], "longitude": location[1], "accuracy_radius": 20}
    return result


SPAIN = {"en": "Spain", "es": "España"}
PLACES = {
    "192.0.2.0/24": place("ES", SPAIN, {"en": "Madrid", "es": "Madrid"}, (40.4168, -3.7038)),
    "2001:db8:1::/48": place("ES", SPAIN, {"en": "Madrid", "es": "Madrid"}, (40.4168, -3.7038)),
    "198.18.0.0/24": place("ES", SPAIN, {"en": "Toledo", "es": "Toledo"}, (39.8628, -4.0273)),
    "198.51.100.0/24": place("ES", SPAIN, {"en": "Barcelona", "es": "Barcelona"}, (41.3874, 2.1686)),
    "203.0.113.0/24": place("JP", {"en": "Japan", "es": "Japón"}, {"en": "Tokyo", "es": "Tokio"}, (35.6762, 139.6503)),
    # No city; no Spanish name; no name at all; nothing but a point beyond the poles.
    "198.18.1.0/24": place("PE", {"en": "Peru", "es": "Perú"}, None, (-10.0, -76.0)),
    "198.18.2.0/24": place("DE", {"en": "Germany"}, {"en": "Berlin"}, (52.52, 13.405)),
    "198.18.3.0/24": place("FR"),
    "198.18.4.0/24": place(location=(123.0, 456.0)),
}

writer = MMDBWriter(
    ip_version=6, ipv4_compatible=True, database_type="GeoLite2-City", languages=["en", "es"],
    description="Places for tests", float_type="f64",
)
for network, value in PLACES.items():
    writer.insert_network(IPSet([network]), value)
writer.to_db_file(str(Path(__file__).with_name("places.mmdb")))
