class Spandrel < Formula
  desc "Opens binary data files of ML tools, says why they do not load, repairs them"
  homepage "@URL@"
  url "@DOWNLOADS@/spandrel-@VERSION@-source.tar.xz"
  sha256 "@SHA256 spandrel-@VERSION@-source.tar.xz@"
  license "Apache-2.0"

  depends_on "go" => :build

  on_linux do
    depends_on "pkgconf" => :build
    depends_on "gtk+3"
    depends_on "libx11"
    depends_on "libxcursor"
    depends_on "libxi"
    depends_on "libxinerama"
    depends_on "libxrandr"
    depends_on "libxxf86vm"
    depends_on "mesa"
  end

  def install
    system "go", "build", *std_go_args(ldflags: "-s -w", tags: "@TAGS@")
    generate_completions_from_executable(bin/"spandrel", "completion")
    (man1/"spandrel.1").write Utils.safe_popen_read(bin/"spandrel", "man")
  end

  test do
    (testpath/"a.npy").binwrite "\x93NUMPY\x01\x00"
    assert_match "a.npy", shell_output("#{bin}/spandrel check a.npy", 1)
  end
end
