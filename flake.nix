# nix run . -- check URL
{
  description = "Conformance suite for the Agent2Agent (A2A) protocol";

  # Its Rust must be that of rust-toolchain.toml or later.
  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs = { self, nixpkgs }:
    let
      systems = [ "aarch64-darwin" "aarch64-linux" "x86_64-darwin" "x86_64-linux" ];
      each = make: nixpkgs.lib.genAttrs systems (system: make nixpkgs.legacyPackages.${system});
    in {
      packages = each (pkgs: {
        default = pkgs.rustPlatform.buildRustPackage {
          pname = "a2aspec";
          version = (nixpkgs.lib.importTOML ./Cargo.toml).workspace.package.version;
          src = self;
          cargoLock.lockFile = ./Cargo.lock;
          # They install published agents from registries.
          doCheck = false;
          meta = {
            license = nixpkgs.lib.licenses.asl20;
            mainProgram = "a2aspec";
          };
        };
      });
    };
}
