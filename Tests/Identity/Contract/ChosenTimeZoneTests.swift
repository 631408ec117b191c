import IdentityContract
import Operations
import Testing

@Suite("A time zone as somebody chooses it (ID-1, ID-13)")
struct ChosenTimeZoneTests {
  @Test(
    "A chosen time zone may be any region of the IANA database, also by a name of before, as browsers report it, and UTC",
    arguments: [
      "Europe/Madrid", "America/Argentina/Buenos_Aires", "America/Buenos_Aires", "Asia/Kathmandu", "Asia/Katmandu",
      "Asia/Kolkata",
      "Asia/Calcutta", "Europe/Kyiv", "Europe/Kiev", "America/Nuuk", "Atlantic/Canary", "Australia/Lord_Howe",
      "Antarctica/Troll", "Arctic/Longyearbyen", "Indian/Mauritius", "Pacific/Apia", "UTC", "Etc/UTC",
    ])
  func regions(name: String) throws { #expect(try ChosenTimeZone(text: name).name.description == name) }

  @Test(
    "A chosen time zone may be no abbreviation, no fixed offset, no name kept for old programs, and nothing that is no zone",
    arguments: [
      "PST", "CET", "EST", "MST", "HST", "GMT", "EST5EDT", "PST8PDT", "GMT+3", "GMT0", "UTC+2", "+02:00", "Etc/GMT-3", "Etc/GMT",
      "US/Eastern", "Canada/Atlantic", "Brazil/East", "Japan", "GB", "Cuba", "Zulu", "SystemV/PST8", "posix/Europe/Madrid",
      "right/Europe/Madrid", "Factory", "localtime", "Mars/Base", "Europe/Nowhere", "europe/madrid", "Europe", "America", "",
    ])
  func others(name: String) {
    #expect(throws: FieldRule("unknown_time_zone")) { try ChosenTimeZone(text: name) }
  }
}
