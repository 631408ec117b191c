import ActivityContract
import Testing

@testable import ActivityService

@Suite("The default order of sources (MOVE-1)")
struct SourcePriorityTests {
  @Test(
    "The default order of sources goes by the names of device and program",
    arguments: [
      ("com.apple.health", "Watch6,2", SourcePriority.watch), ("com.apple.health", "iPhone14,3", .phone),
      ("com.fitbit.FitbitMobile", nil, .watch), ("Mi Band", nil, .watch), ("monitoring", nil, .other), ("Strava", nil, .other),
      ("Google Fit", "Pixel 9", .phone), ("Google Fit", "Pixel Watch 3", .watch), (nil, "Galaxy Watch6", .watch),
      (nil, nil, .other), ("Oura", "Ring", .watch), ("com.huawei.health", "ANDROID", .phone),
    ] as [(String?, String?, SourcePriority)])
  func names(source: String?, device: String?, priority: SourcePriority) {
    #expect(SourcePriority(MovementSource(source: source, device: device)) == priority)
    #expect(SourcePriority(MovementSource(source: source, device: device, isHandTyped: true)) == .handTyped)
  }

  @Test("An account's chosen order of sources goes before the default, and the order of their arrival never counts")
  func order() {
    func known(_ number: Int64, _ device: String, _ position: Int?) -> KnownSource {
      KnownSource(number: number, source: MovementSource(device: device), position: position)
    }
    let sources = [known(3, "A phone", nil), known(1, "B watch", nil), known(2, "A watch", nil), known(9, "Scales", 0)]
    for sources in [sources, sources.reversed()] {
      #expect(KnownSource.sorted(sources).map(\.source.device) == ["Scales", "A watch", "B watch", "A phone"])
    }
  }
}
