import IdentityContract
import Operations
import Testing

@Suite("Time zones that can be chosen (ID-1, ID-13)")
struct ChosenTimeZoneTests {
  @Test(
    "A chosen time zone may be UTC or any region of the IANA database, also by a former name as browsers report it",
    arguments: [
      "Europe/Madrid", "America/Argentina/Buenos_Aires", "America/Buenos_Aires", "Asia/Kathmandu", "Asia/Katmandu",
      "Asia/Kolkata",
      "Asia/Calcutta", "Europe/Kyiv", "Europe/Kiev", "America/Nuuk", "Atlantic/Canary", "Australia/Lord_Howe",
      "Antarctica/Troll", "Arctic/Longyearbyen", "Indian/Mauritius", "Pacific/Apia", "UTC", "Etc/UTC",
    ])
  func regions(name: String) throws { #expect(try ChosenTimeZone(text: name).name.description == name) }

  @Test(
    "A chosen time zone may not be an abbreviation, a fixed offset, a legacy name, or invalid",
    arguments: [
      "PST", "CET", "EST", "MST", "HST", "GMT", "EST5EDT", "PST8PDT", "GMT+3", "GMT0", "UTC+2", "+02:00", "Etc/GMT-3", "Etc/GMT",
      "US/Eastern", "Canada/Atlantic", "Brazil/East", "Japan", "GB", "Cuba", "Zulu", "SystemV/PST8", "posix/Europe/Madrid",
      "right/Europe/Madrid", "Factory", "localtime", "Mars/Base", "Europe/Nowhere", "europe/madrid", "Europe", "America", "",
    ])
  func others(name: String) {
    #expect(throws: FieldRule("unknown_time_zone")) { try ChosenTimeZone(text: name) }
  }
}
