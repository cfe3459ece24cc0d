/*! gradbody's viewer, with three.js (MIT, Copyright © 2010-2026 three.js authors) and uPlot (MIT, Copyright (c) 2022 Leon Sorokin) */
(()=>{var pl=class{constructor(e,t,n){this.codec=e,this.width=t,this.height=n,this.blocks=[]}add(e){let t=new Uint8Array(e.byteLength);e.copyTo(t),this.blocks.push({time:Math.round(e.timestamp/1e3),key:e.type==="key",data:t})}finish(e){let t=$n(440786851,[In(17030,1),In(17143,1),In(17138,4),In(17139,8),dl(17026,"webm"),In(17031,2),In(17029,2)]),n=$n(357149030,[In(2807729,1e6),Hx(17545,e*1e3),dl(19840,"gradbody"),dl(22337,"gradbody")]),s=$n(174,[In(215,1),In(29637,1),In(156,0),In(131,1),dl(134,this.codec),$n(224,[In(176,this.width),In(186,this.height)])]),r=$n(374648427,[s]),o=[],a=[],l=n.length+r.length;for(let c of kx(this.blocks)){let h=c[0].time,u=$n(524531317,[In(231,h),...c.map(f=>Gx(f,h))]);a.push($n(187,[In(179,h),$n(183,[In(247,1),In(241,l)])])),o.push(u),l+=u.length}return tu([t,$n(408125543,[n,r,...o,$n(475249515,a)])])}};function kx(i){let e=[];for(let t of i){let n=e.at(-1);!n||t.time-n[0].time>3e4||t.key&&t.time-n[0].time>=5e3?e.push([t]):n.push(t)}return e}function Gx({time:i,key:e,data:t},n){let s=i-n;return $n(163,[new Uint8Array([129,s>>8&255,s&255,e?128:0]),t])}function $n(i,e){let t=tu(e),n=new Uint8Array(8);return new DataView(n.buffer).setBigUint64(0,BigInt(t.length)|1n<<56n),tu([Vx(i),n,t])}function Vx(i){let e=[];for(let t=i;t>0;t=Math.floor(t/256))e.unshift(t%256);return new Uint8Array(e)}function In(i,e){let t=[];for(let n=e;n>0||t.length===0;n=Math.floor(n/256))t.unshift(n%256);return $n(i,[new Uint8Array(t)])}function Hx(i,e){let t=new Uint8Array(8);return new DataView(t.buffer).setFloat64(0,e),$n(i,[t])}function dl(i,e){return $n(i,[new TextEncoder().encode(e)])}function tu(i){let e=new Uint8Array(i.reduce((n,s)=>n+s.length,0)),t=0;for(let n of i)e.set(n,t),t+=n.length;return e}var Wx=120,Ko=class{constructor(e,{width:t=e.width,height:n=e.height,framerate:s=60}={}){if(!window.VideoEncoder)throw new Error("this browser cannot encode video (it has no WebCodecs, or the page is not on localhost, https or a file)");this.canvas=e,this.width=t&-2,this.height=n&-2,this.file=new pl("V_VP8",this.width,this.height),this.encoder=new VideoEncoder({output:o=>this.file.add(o),error:o=>this.error=o});let r=Math.min(4e7,.14*this.width*this.height*s);this.encoder.configure({codec:"vp8",width:this.width,height:this.height,bitrate:r,framerate:s,latencyMode:"quality"}),this.frames=0,this.end=0}async add(e,t){if(this.error)throw this.error;let n=new VideoFrame(this.canvas,{timestamp:Math.round(e*1e6),duration:Math.round(t*1e6),visibleRect:{x:0,y:0,width:this.width,height:this.height}});for(this.encoder.encode(n,{keyFrame:this.frames%Wx===0}),n.close(),this.frames+=1,this.end=e+t;this.encoder.encodeQueueSize>4;)await new Promise(s=>setTimeout(s,2))}async finish(){if(await this.encoder.flush(),this.encoder.close(),this.error)throw this.error;return this.file.finish(this.end)}};async function jd(i,e){let t=(a,l)=>Number(e.get(a)??l),[n,s,r]=[t("width",1280),t("height",720),t("fps",60)],o=e.get("post");try{let a=await Xx(i,n,s,r);window.gradbodyVideo={type:"video/webm",bytes:a},document.title="video done",o&&await fetch(o,{method:"POST",headers:{"content-type":"video/webm"},body:a})}catch(a){window.gradbodyVideo={error:String(a.message??a)},document.title="video failed",o&&await fetch(o,{method:"POST",headers:{"content-type":"text/plain"},body:window.gradbodyVideo.error})}}async function Xx(i,e,t,n){let{source:s}=i;if(s.live)throw new Error("a video is made of a recording, not of a live simulation");i.freeze(e,t);let r=new Ko(i.canvas,{width:e,height:t,framerate:n}),{first:o,last:a}=s.recording,l=Math.max(1,Math.round((a-o)/s.speed*n)+1);for(let c=0;c<l;c++)s.time=Math.min(a,o+c/n*s.speed),i.drawNow(1/n),await r.add(c/n,1/n),document.title=`video ${c+1}/${l}`;return r.finish()}/**
 * @license
 * Copyright 2010-2026 Three.js Authors
 * SPDX-License-Identifier: MIT
 */var Fp=0,Bu=1,Op=2;var mr=1,Bp=2,bo=3,Zs=0,Rn=1,_n=2,gr=0,wo=1,zu=2,ku=3,Gu=4,zp=5;var xr=100,kp=101,Gp=102,Vp=103,Hp=104,Wp=200,Xp=201,qp=202,Yp=203,Vu=204,Hu=205,$p=206,Zp=207,Jp=208,Kp=209,jp=210,Qp=211,em=212,tm=213,nm=214,Gl=0,Vl=1,Hl=2,no=3,Wl=4,Xl=5,ql=6,Yl=7,Wu=0,im=1,sm=2,es=0,Xu=1,qu=2,Yu=3,$u=4,Zu=5,Ju=6,Ga=7;var Ku=300,_r=301,Ao=302,xc=303,_c=304,io=1e3,xi=1001,so=1002,pn=1003,yc=1004;var yr=1005;var Pn=1006,To=1007;var Ui=1008;var Jn=1009,ju=1010,Qu=1011,Eo=1012,vc=1013,Fi=1014,wi=1015,Oi=1016,Mc=1017,Sc=1018,vr=1020,ef=35902,tf=35899,nf=1021,sf=1022,oi=1023,gs=1026,As=1027,bc=1028,wc=1029,Js=1030,Ac=1031;var Tc=1033,Va=33776,Ha=33777,Wa=33778,Xa=33779,Ec=35840,Rc=35841,Cc=35842,Ic=35843,Pc=36196,Lc=37492,Nc=37496,Dc=37488,Uc=37489,qa=37490,Fc=37491,Oc=37808,Bc=37809,zc=37810,kc=37811,Gc=37812,Vc=37813,Hc=37814,Wc=37815,Xc=37816,qc=37817,Yc=37818,$c=37819,Zc=37820,Jc=37821,Kc=36492,jc=36494,Qc=36495,eh=36283,th=36284,Ya=36285,nh=36286;var hr=2300,ro=2301,zl=2302,Tu=2303,Eu=2400,Ru=2401,Cu=2402,rm=2500;var om=3200;var ih=0,am=1,Bi="",Wn="srgb",fa="srgb-linear",da="linear",Ft="srgb";var kl=7680;var lm=519,cm=512,hm=513,um=514,rf=515,fm=516,dm=517,of=518,af=519,pm=35044;var lf="300 es",_i=2e3,oo=2001;function qx(i){for(let e=i.length-1;e>=0;--e)if(i[e]>=65535)return!0;return!1}function Yx(i){return ArrayBuffer.isView(i)&&!(i instanceof DataView)}function pa(i){return document.createElementNS("http://www.w3.org/1999/xhtml",i)}function mm(){let i=pa("canvas");return i.style.display="block",i}var Qd={},ao=null;function cf(...i){let e="THREE."+i.shift();ao?ao("log",e,...i):console.log(e,...i)}function gm(i){let e=i[0];if(typeof e=="string"&&e.startsWith("TSL:")){let t=i[1];t&&t.isStackTrace?i[0]+=" "+t.getLocation():i[1]='Stack trace not available. Enable "THREE.Node.captureStackTrace" to capture stack traces.'}return i}function tt(...i){i=gm(i);let e="THREE."+i.shift();if(ao)ao("warn",e,...i);else{let t=i[0];t&&t.isStackTrace?console.warn(t.getError(e)):console.warn(e,...i)}}function at(...i){i=gm(i);let e="THREE."+i.shift();if(ao)ao("error",e,...i);else{let t=i[0];t&&t.isStackTrace?console.error(t.getError(e)):console.error(e,...i)}}function aa(...i){let e=i.join(" ");e in Qd||(Qd[e]=!0,tt(...i))}function xm(i,e,t){return new Promise(function(n,s){function r(){switch(i.clientWaitSync(e,i.SYNC_FLUSH_COMMANDS_BIT,0)){case i.WAIT_FAILED:s();break;case i.TIMEOUT_EXPIRED:setTimeout(r,t);break;default:n()}}setTimeout(r,t)})}var _m={[Gl]:Gl,[Hl]:ql,[Wl]:Wl,[no]:Xl,[Vl]:Vl,[ql]:Hl,[Yl]:Yl,[Xl]:no},Ji=class{addEventListener(e,t){this._listeners===void 0&&(this._listeners={});let n=this._listeners;n[e]===void 0&&(n[e]=[]),n[e].indexOf(t)===-1&&n[e].push(t)}hasEventListener(e,t){let n=this._listeners;return n===void 0?!1:n[e]!==void 0&&n[e].indexOf(t)!==-1}removeEventListener(e,t){let n=this._listeners;if(n===void 0)return;let s=n[e];if(s!==void 0){let r=s.indexOf(t);r!==-1&&s.splice(r,1)}}dispatchEvent(e){let t=this._listeners;if(t===void 0)return;let n=t[e.type];if(n!==void 0){e.target=this;let s=n.slice(0);for(let r=0,o=s.length;r<o;r++)s[r].call(this,e);e.target=null}}},Un=["00","01","02","03","04","05","06","07","08","09","0a","0b","0c","0d","0e","0f","10","11","12","13","14","15","16","17","18","19","1a","1b","1c","1d","1e","1f","20","21","22","23","24","25","26","27","28","29","2a","2b","2c","2d","2e","2f","30","31","32","33","34","35","36","37","38","39","3a","3b","3c","3d","3e","3f","40","41","42","43","44","45","46","47","48","49","4a","4b","4c","4d","4e","4f","50","51","52","53","54","55","56","57","58","59","5a","5b","5c","5d","5e","5f","60","61","62","63","64","65","66","67","68","69","6a","6b","6c","6d","6e","6f","70","71","72","73","74","75","76","77","78","79","7a","7b","7c","7d","7e","7f","80","81","82","83","84","85","86","87","88","89","8a","8b","8c","8d","8e","8f","90","91","92","93","94","95","96","97","98","99","9a","9b","9c","9d","9e","9f","a0","a1","a2","a3","a4","a5","a6","a7","a8","a9","aa","ab","ac","ad","ae","af","b0","b1","b2","b3","b4","b5","b6","b7","b8","b9","ba","bb","bc","bd","be","bf","c0","c1","c2","c3","c4","c5","c6","c7","c8","c9","ca","cb","cc","cd","ce","cf","d0","d1","d2","d3","d4","d5","d6","d7","d8","d9","da","db","dc","dd","de","df","e0","e1","e2","e3","e4","e5","e6","e7","e8","e9","ea","eb","ec","ed","ee","ef","f0","f1","f2","f3","f4","f5","f6","f7","f8","f9","fa","fb","fc","fd","fe","ff"],ep=1234567,la=Math.PI/180,lo=180/Math.PI;function Ks(){let i=Math.random()*4294967295|0,e=Math.random()*4294967295|0,t=Math.random()*4294967295|0,n=Math.random()*4294967295|0;return(Un[i&255]+Un[i>>8&255]+Un[i>>16&255]+Un[i>>24&255]+"-"+Un[e&255]+Un[e>>8&255]+"-"+Un[e>>16&15|64]+Un[e>>24&255]+"-"+Un[t&63|128]+Un[t>>8&255]+"-"+Un[t>>16&255]+Un[t>>24&255]+Un[n&255]+Un[n>>8&255]+Un[n>>16&255]+Un[n>>24&255]).toLowerCase()}function vt(i,e,t){return Math.max(e,Math.min(t,i))}function hf(i,e){return(i%e+e)%e}function $x(i,e,t,n,s){return n+(i-e)*(s-n)/(t-e)}function Zx(i,e,t){return i!==e?(t-i)/(e-i):0}function ca(i,e,t){return(1-t)*i+t*e}function Jx(i,e,t,n){return ca(i,e,1-Math.exp(-t*n))}function Kx(i,e=1){return e-Math.abs(hf(i,e*2)-e)}function jx(i,e,t){return i<=e?0:i>=t?1:(i=(i-e)/(t-e),i*i*(3-2*i))}function Qx(i,e,t){return i<=e?0:i>=t?1:(i=(i-e)/(t-e),i*i*i*(i*(i*6-15)+10))}function e_(i,e){return i+Math.floor(Math.random()*(e-i+1))}function t_(i,e){return i+Math.random()*(e-i)}function n_(i){return i*(.5-Math.random())}function i_(i){i!==void 0&&(ep=i);let e=ep+=1831565813;return e=Math.imul(e^e>>>15,e|1),e^=e+Math.imul(e^e>>>7,e|61),((e^e>>>14)>>>0)/4294967296}function s_(i){return i*la}function r_(i){return i*lo}function o_(i){return i>0&&Number.isInteger(i)&&2**Math.round(Math.log2(i))===i}function a_(i){return Math.pow(2,Math.ceil(Math.log(i)/Math.LN2))}function uf(i){return Math.pow(2,Math.floor(Math.log(i)/Math.LN2))}function l_(i,e,t,n,s){let r=Math.cos,o=Math.sin,a=r(t/2),l=o(t/2),c=r((e+n)/2),h=o((e+n)/2),u=r((e-n)/2),f=o((e-n)/2),d=r((n-e)/2),p=o((n-e)/2);switch(s){case"XYX":i.set(a*h,l*u,l*f,a*c);break;case"YZY":i.set(l*f,a*h,l*u,a*c);break;case"ZXZ":i.set(l*u,l*f,a*h,a*c);break;case"XZX":i.set(a*h,l*p,l*d,a*c);break;case"YXY":i.set(l*d,a*h,l*p,a*c);break;case"ZYZ":i.set(l*p,l*d,a*h,a*c);break;default:tt("MathUtils: .setQuaternionFromProperEuler() encountered an unknown order: "+s)}}function ff(i){switch(i.constructor){case Uint32Array:return 4294967295;case Uint16Array:return 65535;case Uint8Array:case Uint8ClampedArray:return 255;case Int32Array:return 2147483647;case Int16Array:return 32767;case Int8Array:return 127;default:return}}function ym(i,e){if(e.constructor===Float32Array)return i;let t=ff(e);if(t===void 0)throw new Error("THREE.MathUtils: Invalid component type.");return Math.max(i/t,-1)}function vm(i,e){if(e.constructor===Float32Array)return i;let t=ff(e);if(t===void 0)throw new Error("THREE.MathUtils: Invalid component type.");return Math.round(i*t)}var Ro={DEG2RAD:la,RAD2DEG:lo,generateUUID:Ks,clamp:vt,euclideanModulo:hf,mapLinear:$x,inverseLerp:Zx,lerp:ca,damp:Jx,pingpong:Kx,smoothstep:jx,smootherstep:Qx,randInt:e_,randFloat:t_,randFloatSpread:n_,seededRandom:i_,degToRad:s_,radToDeg:r_,isPowerOfTwo:o_,ceilPowerOfTwo:a_,floorPowerOfTwo:uf,setQuaternionFromProperEuler:l_,normalize:vm,denormalize:ym},Ee=class{static{this.prototype.isVector2=!0}constructor(e=0,t=0){this.x=e,this.y=t}get width(){return this.x}set width(e){this.x=e}get height(){return this.y}set height(e){this.y=e}set(e,t){return this.x=e,this.y=t,this}setScalar(e){return this.x=e,this.y=e,this}setX(e){return this.x=e,this}setY(e){return this.y=e,this}setComponent(e,t){switch(e){case 0:this.x=t;break;case 1:this.y=t;break;default:throw new Error("THREE.Vector2: index is out of range: "+e)}return this}getComponent(e){switch(e){case 0:return this.x;case 1:return this.y;default:throw new Error("THREE.Vector2: index is out of range: "+e)}}clone(){return new this.constructor(this.x,this.y)}copy(e){return this.x=e.x,this.y=e.y,this}add(e){return this.x+=e.x,this.y+=e.y,this}addScalar(e){return this.x+=e,this.y+=e,this}addVectors(e,t){return this.x=e.x+t.x,this.y=e.y+t.y,this}addScaledVector(e,t){return this.x+=e.x*t,this.y+=e.y*t,this}sub(e){return this.x-=e.x,this.y-=e.y,this}subScalar(e){return this.x-=e,this.y-=e,this}subVectors(e,t){return this.x=e.x-t.x,this.y=e.y-t.y,this}multiply(e){return this.x*=e.x,this.y*=e.y,this}multiplyScalar(e){return this.x*=e,this.y*=e,this}divide(e){return this.x/=e.x,this.y/=e.y,this}divideScalar(e){return this.multiplyScalar(1/e)}applyMatrix3(e){let t=this.x,n=this.y,s=e.elements;return this.x=s[0]*t+s[3]*n+s[6],this.y=s[1]*t+s[4]*n+s[7],this}min(e){return this.x=Math.min(this.x,e.x),this.y=Math.min(this.y,e.y),this}max(e){return this.x=Math.max(this.x,e.x),this.y=Math.max(this.y,e.y),this}clamp(e,t){return this.x=vt(this.x,e.x,t.x),this.y=vt(this.y,e.y,t.y),this}clampScalar(e,t){return this.x=vt(this.x,e,t),this.y=vt(this.y,e,t),this}clampLength(e,t){let n=this.length();return this.divideScalar(n||1).multiplyScalar(vt(n,e,t))}floor(){return this.x=Math.floor(this.x),this.y=Math.floor(this.y),this}ceil(){return this.x=Math.ceil(this.x),this.y=Math.ceil(this.y),this}round(){return this.x=Math.round(this.x),this.y=Math.round(this.y),this}roundToZero(){return this.x=Math.trunc(this.x),this.y=Math.trunc(this.y),this}negate(){return this.x=-this.x,this.y=-this.y,this}dot(e){return this.x*e.x+this.y*e.y}cross(e){return this.x*e.y-this.y*e.x}lengthSq(){return this.x*this.x+this.y*this.y}length(){return Math.sqrt(this.x*this.x+this.y*this.y)}manhattanLength(){return Math.abs(this.x)+Math.abs(this.y)}normalize(){return this.divideScalar(this.length()||1)}angle(){return Math.atan2(-this.y,-this.x)+Math.PI}angleTo(e){let t=Math.sqrt(this.lengthSq()*e.lengthSq());if(t===0)return Math.PI/2;let n=this.dot(e)/t;return Math.acos(vt(n,-1,1))}distanceTo(e){return Math.sqrt(this.distanceToSquared(e))}distanceToSquared(e){let t=this.x-e.x,n=this.y-e.y;return t*t+n*n}manhattanDistanceTo(e){return Math.abs(this.x-e.x)+Math.abs(this.y-e.y)}setLength(e){return this.normalize().multiplyScalar(e)}lerp(e,t){return this.x+=(e.x-this.x)*t,this.y+=(e.y-this.y)*t,this}lerpVectors(e,t,n){return this.x=e.x+(t.x-e.x)*n,this.y=e.y+(t.y-e.y)*n,this}equals(e){return e.x===this.x&&e.y===this.y}fromArray(e,t=0){return this.x=e[t],this.y=e[t+1],this}toArray(e=[],t=0){return e[t]=this.x,e[t+1]=this.y,e}fromBufferAttribute(e,t){return this.x=e.getX(t),this.y=e.getY(t),this}rotateAround(e,t){let n=Math.cos(t),s=Math.sin(t),r=this.x-e.x,o=this.y-e.y;return this.x=r*n-o*s+e.x,this.y=r*s+o*n+e.y,this}random(){return this.x=Math.random(),this.y=Math.random(),this}*[Symbol.iterator](){yield this.x,yield this.y}},yi=class{constructor(e=0,t=0,n=0,s=1){this.isQuaternion=!0,this._x=e,this._y=t,this._z=n,this._w=s}static slerpFlat(e,t,n,s,r,o,a){let l=n[s+0],c=n[s+1],h=n[s+2],u=n[s+3],f=r[o+0],d=r[o+1],p=r[o+2],x=r[o+3];if(u!==x||l!==f||c!==d||h!==p){let m=l*f+c*d+h*p+u*x;m<0&&(f=-f,d=-d,p=-p,x=-x,m=-m);let g=1-a;if(m<.9995){let v=Math.acos(m),E=Math.sin(v);g=Math.sin(g*v)/E,a=Math.sin(a*v)/E,l=l*g+f*a,c=c*g+d*a,h=h*g+p*a,u=u*g+x*a}else{l=l*g+f*a,c=c*g+d*a,h=h*g+p*a,u=u*g+x*a;let v=1/Math.sqrt(l*l+c*c+h*h+u*u);l*=v,c*=v,h*=v,u*=v}}e[t]=l,e[t+1]=c,e[t+2]=h,e[t+3]=u}static multiplyQuaternionsFlat(e,t,n,s,r,o){let a=n[s],l=n[s+1],c=n[s+2],h=n[s+3],u=r[o],f=r[o+1],d=r[o+2],p=r[o+3];return e[t]=a*p+h*u+l*d-c*f,e[t+1]=l*p+h*f+c*u-a*d,e[t+2]=c*p+h*d+a*f-l*u,e[t+3]=h*p-a*u-l*f-c*d,e}get x(){return this._x}set x(e){this._x=e,this._onChangeCallback()}get y(){return this._y}set y(e){this._y=e,this._onChangeCallback()}get z(){return this._z}set z(e){this._z=e,this._onChangeCallback()}get w(){return this._w}set w(e){this._w=e,this._onChangeCallback()}set(e,t,n,s){return this._x=e,this._y=t,this._z=n,this._w=s,this._onChangeCallback(),this}clone(){return new this.constructor(this._x,this._y,this._z,this._w)}copy(e){return this._x=e.x,this._y=e.y,this._z=e.z,this._w=e.w,this._onChangeCallback(),this}setFromEuler(e,t=!0){let n=e._x,s=e._y,r=e._z,o=e._order,a=Math.cos,l=Math.sin,c=a(n/2),h=a(s/2),u=a(r/2),f=l(n/2),d=l(s/2),p=l(r/2);switch(o){case"XYZ":this._x=f*h*u+c*d*p,this._y=c*d*u-f*h*p,this._z=c*h*p+f*d*u,this._w=c*h*u-f*d*p;break;case"YXZ":this._x=f*h*u+c*d*p,this._y=c*d*u-f*h*p,this._z=c*h*p-f*d*u,this._w=c*h*u+f*d*p;break;case"ZXY":this._x=f*h*u-c*d*p,this._y=c*d*u+f*h*p,this._z=c*h*p+f*d*u,this._w=c*h*u-f*d*p;break;case"ZYX":this._x=f*h*u-c*d*p,this._y=c*d*u+f*h*p,this._z=c*h*p-f*d*u,this._w=c*h*u+f*d*p;break;case"YZX":this._x=f*h*u+c*d*p,this._y=c*d*u+f*h*p,this._z=c*h*p-f*d*u,this._w=c*h*u-f*d*p;break;case"XZY":this._x=f*h*u-c*d*p,this._y=c*d*u-f*h*p,this._z=c*h*p+f*d*u,this._w=c*h*u+f*d*p;break;default:tt("Quaternion: .setFromEuler() encountered an unknown order: "+o)}return t===!0&&this._onChangeCallback(),this}setFromAxisAngle(e,t){let n=t/2,s=Math.sin(n);return this._x=e.x*s,this._y=e.y*s,this._z=e.z*s,this._w=Math.cos(n),this._onChangeCallback(),this}setFromRotationMatrix(e){let t=e.elements,n=t[0],s=t[4],r=t[8],o=t[1],a=t[5],l=t[9],c=t[2],h=t[6],u=t[10],f=n+a+u;if(f>0){let d=.5/Math.sqrt(f+1);this._w=.25/d,this._x=(h-l)*d,this._y=(r-c)*d,this._z=(o-s)*d}else if(n>a&&n>u){let d=2*Math.sqrt(1+n-a-u);this._w=(h-l)/d,this._x=.25*d,this._y=(s+o)/d,this._z=(r+c)/d}else if(a>u){let d=2*Math.sqrt(1+a-n-u);this._w=(r-c)/d,this._x=(s+o)/d,this._y=.25*d,this._z=(l+h)/d}else{let d=2*Math.sqrt(1+u-n-a);this._w=(o-s)/d,this._x=(r+c)/d,this._y=(l+h)/d,this._z=.25*d}return this._onChangeCallback(),this}setFromUnitVectors(e,t){let n=e.dot(t)+1;return n<1e-8?(n=0,Math.abs(e.x)>Math.abs(e.z)?(this._x=-e.y,this._y=e.x,this._z=0,this._w=n):(this._x=0,this._y=-e.z,this._z=e.y,this._w=n)):(this._x=e.y*t.z-e.z*t.y,this._y=e.z*t.x-e.x*t.z,this._z=e.x*t.y-e.y*t.x,this._w=n),this.normalize()}angleTo(e){return 2*Math.acos(Math.abs(vt(this.dot(e),-1,1)))}rotateTowards(e,t){let n=this.angleTo(e);if(n===0)return this;let s=Math.min(1,t/n);return this.slerp(e,s),this}identity(){return this.set(0,0,0,1)}invert(){return this.conjugate()}conjugate(){return this._x*=-1,this._y*=-1,this._z*=-1,this._onChangeCallback(),this}dot(e){return this._x*e._x+this._y*e._y+this._z*e._z+this._w*e._w}lengthSq(){return this._x*this._x+this._y*this._y+this._z*this._z+this._w*this._w}length(){return Math.sqrt(this._x*this._x+this._y*this._y+this._z*this._z+this._w*this._w)}normalize(){let e=this.length();return e===0?(this._x=0,this._y=0,this._z=0,this._w=1):(e=1/e,this._x=this._x*e,this._y=this._y*e,this._z=this._z*e,this._w=this._w*e),this._onChangeCallback(),this}multiply(e){return this.multiplyQuaternions(this,e)}premultiply(e){return this.multiplyQuaternions(e,this)}multiplyQuaternions(e,t){let n=e._x,s=e._y,r=e._z,o=e._w,a=t._x,l=t._y,c=t._z,h=t._w;return this._x=n*h+o*a+s*c-r*l,this._y=s*h+o*l+r*a-n*c,this._z=r*h+o*c+n*l-s*a,this._w=o*h-n*a-s*l-r*c,this._onChangeCallback(),this}slerp(e,t){let n=e._x,s=e._y,r=e._z,o=e._w,a=this.dot(e);a<0&&(n=-n,s=-s,r=-r,o=-o,a=-a);let l=1-t;if(a<.9995){let c=Math.acos(a),h=Math.sin(c);l=Math.sin(l*c)/h,t=Math.sin(t*c)/h,this._x=this._x*l+n*t,this._y=this._y*l+s*t,this._z=this._z*l+r*t,this._w=this._w*l+o*t,this._onChangeCallback()}else this._x=this._x*l+n*t,this._y=this._y*l+s*t,this._z=this._z*l+r*t,this._w=this._w*l+o*t,this.normalize();return this}slerpQuaternions(e,t,n){return this.copy(e).slerp(t,n)}random(){let e=2*Math.PI*Math.random(),t=2*Math.PI*Math.random(),n=Math.random(),s=Math.sqrt(1-n),r=Math.sqrt(n);return this.set(s*Math.sin(e),s*Math.cos(e),r*Math.sin(t),r*Math.cos(t))}equals(e){return e._x===this._x&&e._y===this._y&&e._z===this._z&&e._w===this._w}fromArray(e,t=0){return this._x=e[t],this._y=e[t+1],this._z=e[t+2],this._w=e[t+3],this._onChangeCallback(),this}toArray(e=[],t=0){return e[t]=this._x,e[t+1]=this._y,e[t+2]=this._z,e[t+3]=this._w,e}fromBufferAttribute(e,t){return this._x=e.getX(t),this._y=e.getY(t),this._z=e.getZ(t),this._w=e.getW(t),this._onChangeCallback(),this}toJSON(){return this.toArray()}_onChange(e){return this._onChangeCallback=e,this}_onChangeCallback(){}*[Symbol.iterator](){yield this._x,yield this._y,yield this._z,yield this._w}},k=class{static{this.prototype.isVector3=!0}constructor(e=0,t=0,n=0){this.x=e,this.y=t,this.z=n}set(e,t,n){return n===void 0&&(n=this.z),this.x=e,this.y=t,this.z=n,this}setScalar(e){return this.x=e,this.y=e,this.z=e,this}setX(e){return this.x=e,this}setY(e){return this.y=e,this}setZ(e){return this.z=e,this}setComponent(e,t){switch(e){case 0:this.x=t;break;case 1:this.y=t;break;case 2:this.z=t;break;default:throw new Error("THREE.Vector3: index is out of range: "+e)}return this}getComponent(e){switch(e){case 0:return this.x;case 1:return this.y;case 2:return this.z;default:throw new Error("THREE.Vector3: index is out of range: "+e)}}clone(){return new this.constructor(this.x,this.y,this.z)}copy(e){return this.x=e.x,this.y=e.y,this.z=e.z,this}add(e){return this.x+=e.x,this.y+=e.y,this.z+=e.z,this}addScalar(e){return this.x+=e,this.y+=e,this.z+=e,this}addVectors(e,t){return this.x=e.x+t.x,this.y=e.y+t.y,this.z=e.z+t.z,this}addScaledVector(e,t){return this.x+=e.x*t,this.y+=e.y*t,this.z+=e.z*t,this}sub(e){return this.x-=e.x,this.y-=e.y,this.z-=e.z,this}subScalar(e){return this.x-=e,this.y-=e,this.z-=e,this}subVectors(e,t){return this.x=e.x-t.x,this.y=e.y-t.y,this.z=e.z-t.z,this}multiply(e){return this.x*=e.x,this.y*=e.y,this.z*=e.z,this}multiplyScalar(e){return this.x*=e,this.y*=e,this.z*=e,this}multiplyVectors(e,t){return this.x=e.x*t.x,this.y=e.y*t.y,this.z=e.z*t.z,this}applyEuler(e){return this.applyQuaternion(tp.setFromEuler(e))}applyAxisAngle(e,t){return this.applyQuaternion(tp.setFromAxisAngle(e,t))}applyMatrix3(e){let t=this.x,n=this.y,s=this.z,r=e.elements;return this.x=r[0]*t+r[3]*n+r[6]*s,this.y=r[1]*t+r[4]*n+r[7]*s,this.z=r[2]*t+r[5]*n+r[8]*s,this}applyNormalMatrix(e){return this.applyMatrix3(e).normalize()}applyMatrix4(e){let t=this.x,n=this.y,s=this.z,r=e.elements,o=1/(r[3]*t+r[7]*n+r[11]*s+r[15]);return this.x=(r[0]*t+r[4]*n+r[8]*s+r[12])*o,this.y=(r[1]*t+r[5]*n+r[9]*s+r[13])*o,this.z=(r[2]*t+r[6]*n+r[10]*s+r[14])*o,this}applyQuaternion(e){let t=this.x,n=this.y,s=this.z,r=e.x,o=e.y,a=e.z,l=e.w,c=2*(o*s-a*n),h=2*(a*t-r*s),u=2*(r*n-o*t);return this.x=t+l*c+o*u-a*h,this.y=n+l*h+a*c-r*u,this.z=s+l*u+r*h-o*c,this}project(e){return this.applyMatrix4(e.matrixWorldInverse).applyMatrix4(e.projectionMatrix)}unproject(e){return this.applyMatrix4(e.projectionMatrixInverse).applyMatrix4(e.matrixWorld)}transformDirection(e){let t=this.x,n=this.y,s=this.z,r=e.elements;return this.x=r[0]*t+r[4]*n+r[8]*s,this.y=r[1]*t+r[5]*n+r[9]*s,this.z=r[2]*t+r[6]*n+r[10]*s,this.normalize()}divide(e){return this.x/=e.x,this.y/=e.y,this.z/=e.z,this}divideScalar(e){return this.multiplyScalar(1/e)}min(e){return this.x=Math.min(this.x,e.x),this.y=Math.min(this.y,e.y),this.z=Math.min(this.z,e.z),this}max(e){return this.x=Math.max(this.x,e.x),this.y=Math.max(this.y,e.y),this.z=Math.max(this.z,e.z),this}clamp(e,t){return this.x=vt(this.x,e.x,t.x),this.y=vt(this.y,e.y,t.y),this.z=vt(this.z,e.z,t.z),this}clampScalar(e,t){return this.x=vt(this.x,e,t),this.y=vt(this.y,e,t),this.z=vt(this.z,e,t),this}clampLength(e,t){let n=this.length();return this.divideScalar(n||1).multiplyScalar(vt(n,e,t))}floor(){return this.x=Math.floor(this.x),this.y=Math.floor(this.y),this.z=Math.floor(this.z),this}ceil(){return this.x=Math.ceil(this.x),this.y=Math.ceil(this.y),this.z=Math.ceil(this.z),this}round(){return this.x=Math.round(this.x),this.y=Math.round(this.y),this.z=Math.round(this.z),this}roundToZero(){return this.x=Math.trunc(this.x),this.y=Math.trunc(this.y),this.z=Math.trunc(this.z),this}negate(){return this.x=-this.x,this.y=-this.y,this.z=-this.z,this}dot(e){return this.x*e.x+this.y*e.y+this.z*e.z}lengthSq(){return this.x*this.x+this.y*this.y+this.z*this.z}length(){return Math.sqrt(this.x*this.x+this.y*this.y+this.z*this.z)}manhattanLength(){return Math.abs(this.x)+Math.abs(this.y)+Math.abs(this.z)}normalize(){return this.divideScalar(this.length()||1)}setLength(e){return this.normalize().multiplyScalar(e)}lerp(e,t){return this.x+=(e.x-this.x)*t,this.y+=(e.y-this.y)*t,this.z+=(e.z-this.z)*t,this}lerpVectors(e,t,n){return this.x=e.x+(t.x-e.x)*n,this.y=e.y+(t.y-e.y)*n,this.z=e.z+(t.z-e.z)*n,this}cross(e){return this.crossVectors(this,e)}crossVectors(e,t){let n=e.x,s=e.y,r=e.z,o=t.x,a=t.y,l=t.z;return this.x=s*l-r*a,this.y=r*o-n*l,this.z=n*a-s*o,this}projectOnVector(e){let t=e.lengthSq();if(t===0)return this.set(0,0,0);let n=e.dot(this)/t;return this.copy(e).multiplyScalar(n)}projectOnPlane(e){return nu.copy(this).projectOnVector(e),this.sub(nu)}reflect(e){return this.sub(nu.copy(e).multiplyScalar(2*this.dot(e)))}angleTo(e){let t=Math.sqrt(this.lengthSq()*e.lengthSq());if(t===0)return Math.PI/2;let n=this.dot(e)/t;return Math.acos(vt(n,-1,1))}distanceTo(e){return Math.sqrt(this.distanceToSquared(e))}distanceToSquared(e){let t=this.x-e.x,n=this.y-e.y,s=this.z-e.z;return t*t+n*n+s*s}manhattanDistanceTo(e){return Math.abs(this.x-e.x)+Math.abs(this.y-e.y)+Math.abs(this.z-e.z)}setFromSpherical(e){return this.setFromSphericalCoords(e.radius,e.phi,e.theta)}setFromSphericalCoords(e,t,n){let s=Math.sin(t)*e;return this.x=s*Math.sin(n),this.y=Math.cos(t)*e,this.z=s*Math.cos(n),this}setFromCylindrical(e){return this.setFromCylindricalCoords(e.radius,e.theta,e.y)}setFromCylindricalCoords(e,t,n){return this.x=e*Math.sin(t),this.y=n,this.z=e*Math.cos(t),this}setFromMatrixPosition(e){let t=e.elements;return this.x=t[12],this.y=t[13],this.z=t[14],this}setFromMatrixScale(e){let t=this.setFromMatrixColumn(e,0).length(),n=this.setFromMatrixColumn(e,1).length(),s=this.setFromMatrixColumn(e,2).length();return this.x=t,this.y=n,this.z=s,this}setFromMatrixColumn(e,t){return this.fromArray(e.elements,t*4)}setFromMatrix3Column(e,t){return this.fromArray(e.elements,t*3)}setFromEuler(e){return this.x=e._x,this.y=e._y,this.z=e._z,this}setFromColor(e){return this.x=e.r,this.y=e.g,this.z=e.b,this}equals(e){return e.x===this.x&&e.y===this.y&&e.z===this.z}fromArray(e,t=0){return this.x=e[t],this.y=e[t+1],this.z=e[t+2],this}toArray(e=[],t=0){return e[t]=this.x,e[t+1]=this.y,e[t+2]=this.z,e}fromBufferAttribute(e,t){return this.x=e.getX(t),this.y=e.getY(t),this.z=e.getZ(t),this}random(){return this.x=Math.random(),this.y=Math.random(),this.z=Math.random(),this}randomDirection(){let e=Math.random()*Math.PI*2,t=Math.random()*2-1,n=Math.sqrt(1-t*t);return this.x=n*Math.cos(e),this.y=t,this.z=n*Math.sin(e),this}*[Symbol.iterator](){yield this.x,yield this.y,yield this.z}},nu=new k,tp=new yi,dt=class{static{this.prototype.isMatrix3=!0}constructor(e,t,n,s,r,o,a,l,c){this.elements=[1,0,0,0,1,0,0,0,1],e!==void 0&&this.set(e,t,n,s,r,o,a,l,c)}set(e,t,n,s,r,o,a,l,c){let h=this.elements;return h[0]=e,h[1]=s,h[2]=a,h[3]=t,h[4]=r,h[5]=l,h[6]=n,h[7]=o,h[8]=c,this}identity(){return this.set(1,0,0,0,1,0,0,0,1),this}copy(e){let t=this.elements,n=e.elements;return t[0]=n[0],t[1]=n[1],t[2]=n[2],t[3]=n[3],t[4]=n[4],t[5]=n[5],t[6]=n[6],t[7]=n[7],t[8]=n[8],this}extractBasis(e,t,n){return e.setFromMatrix3Column(this,0),t.setFromMatrix3Column(this,1),n.setFromMatrix3Column(this,2),this}setFromMatrix4(e){let t=e.elements;return this.set(t[0],t[4],t[8],t[1],t[5],t[9],t[2],t[6],t[10]),this}multiply(e){return this.multiplyMatrices(this,e)}premultiply(e){return this.multiplyMatrices(e,this)}multiplyMatrices(e,t){let n=e.elements,s=t.elements,r=this.elements,o=n[0],a=n[3],l=n[6],c=n[1],h=n[4],u=n[7],f=n[2],d=n[5],p=n[8],x=s[0],m=s[3],g=s[6],v=s[1],E=s[4],_=s[7],R=s[2],A=s[5],y=s[8];return r[0]=o*x+a*v+l*R,r[3]=o*m+a*E+l*A,r[6]=o*g+a*_+l*y,r[1]=c*x+h*v+u*R,r[4]=c*m+h*E+u*A,r[7]=c*g+h*_+u*y,r[2]=f*x+d*v+p*R,r[5]=f*m+d*E+p*A,r[8]=f*g+d*_+p*y,this}multiplyScalar(e){let t=this.elements;return t[0]*=e,t[3]*=e,t[6]*=e,t[1]*=e,t[4]*=e,t[7]*=e,t[2]*=e,t[5]*=e,t[8]*=e,this}determinant(){let e=this.elements,t=e[0],n=e[1],s=e[2],r=e[3],o=e[4],a=e[5],l=e[6],c=e[7],h=e[8];return t*o*h-t*a*c-n*r*h+n*a*l+s*r*c-s*o*l}invert(){let e=this.elements,t=e[0],n=e[1],s=e[2],r=e[3],o=e[4],a=e[5],l=e[6],c=e[7],h=e[8],u=h*o-a*c,f=a*l-h*r,d=c*r-o*l,p=t*u+n*f+s*d;if(p===0)return this.set(0,0,0,0,0,0,0,0,0);let x=1/p;return e[0]=u*x,e[1]=(s*c-h*n)*x,e[2]=(a*n-s*o)*x,e[3]=f*x,e[4]=(h*t-s*l)*x,e[5]=(s*r-a*t)*x,e[6]=d*x,e[7]=(n*l-c*t)*x,e[8]=(o*t-n*r)*x,this}transpose(){let e,t=this.elements;return e=t[1],t[1]=t[3],t[3]=e,e=t[2],t[2]=t[6],t[6]=e,e=t[5],t[5]=t[7],t[7]=e,this}getNormalMatrix(e){return this.setFromMatrix4(e).invert().transpose()}transposeIntoArray(e){let t=this.elements;return e[0]=t[0],e[1]=t[3],e[2]=t[6],e[3]=t[1],e[4]=t[4],e[5]=t[7],e[6]=t[2],e[7]=t[5],e[8]=t[8],this}setUvTransform(e,t,n,s,r,o,a){let l=Math.cos(r),c=Math.sin(r);return this.set(n*l,n*c,-n*(l*o+c*a)+o+e,-s*c,s*l,-s*(-c*o+l*a)+a+t,0,0,1),this}scale(e,t){return aa("Matrix3: .scale() is deprecated. Use .makeScale() instead."),this.premultiply(iu.makeScale(e,t)),this}rotate(e){return aa("Matrix3: .rotate() is deprecated. Use .makeRotation() instead."),this.premultiply(iu.makeRotation(-e)),this}translate(e,t){return aa("Matrix3: .translate() is deprecated. Use .makeTranslation() instead."),this.premultiply(iu.makeTranslation(e,t)),this}makeTranslation(e,t){return e.isVector2?this.set(1,0,e.x,0,1,e.y,0,0,1):this.set(1,0,e,0,1,t,0,0,1),this}makeRotation(e){let t=Math.cos(e),n=Math.sin(e);return this.set(t,-n,0,n,t,0,0,0,1),this}makeScale(e,t){return this.set(e,0,0,0,t,0,0,0,1),this}equals(e){let t=this.elements,n=e.elements;for(let s=0;s<9;s++)if(t[s]!==n[s])return!1;return!0}fromArray(e,t=0){for(let n=0;n<9;n++)this.elements[n]=e[n+t];return this}toArray(e=[],t=0){let n=this.elements;return e[t]=n[0],e[t+1]=n[1],e[t+2]=n[2],e[t+3]=n[3],e[t+4]=n[4],e[t+5]=n[5],e[t+6]=n[6],e[t+7]=n[7],e[t+8]=n[8],e}clone(){return new this.constructor().fromArray(this.elements)}},iu=new dt,np=new dt().set(.4123908,.3575843,.1804808,.212639,.7151687,.0721923,.0193308,.1191948,.9505322),ip=new dt().set(3.2409699,-1.5373832,-.4986108,-.9692436,1.8759675,.0415551,.0556301,-.203977,1.0569715);function c_(){let i={enabled:!0,workingColorSpace:fa,spaces:{},convert:function(s,r,o){return this.enabled===!1||r===o||!r||!o||(this.spaces[r].transfer===Ft&&(s.r=ms(s.r),s.g=ms(s.g),s.b=ms(s.b)),this.spaces[r].primaries!==this.spaces[o].primaries&&(s.applyMatrix3(this.spaces[r].toXYZ),s.applyMatrix3(this.spaces[o].fromXYZ)),this.spaces[o].transfer===Ft&&(s.r=to(s.r),s.g=to(s.g),s.b=to(s.b))),s},workingToColorSpace:function(s,r){return this.convert(s,this.workingColorSpace,r)},colorSpaceToWorking:function(s,r){return this.convert(s,r,this.workingColorSpace)},getPrimaries:function(s){return this.spaces[s].primaries},getTransfer:function(s){return s===Bi?da:this.spaces[s].transfer},getToneMappingMode:function(s){return this.spaces[s].outputColorSpaceConfig.toneMappingMode||"standard"},getLuminanceCoefficients:function(s,r=this.workingColorSpace){return s.fromArray(this.spaces[r].luminanceCoefficients)},define:function(s){Object.assign(this.spaces,s)},_getMatrix:function(s,r,o){return s.copy(this.spaces[o].fromXYZ).multiply(this.spaces[r].toXYZ)},_getDrawingBufferColorSpace:function(s){return this.spaces[s].outputColorSpaceConfig.drawingBufferColorSpace},_getUnpackColorSpace:function(s=this.workingColorSpace){return this.spaces[s].workingColorSpaceConfig.unpackColorSpace}},e=[.64,.33,.3,.6,.15,.06],t=[.2126,.7152,.0722],n=[.3127,.329];return i.define({[fa]:{primaries:e,whitePoint:n,transfer:da,toXYZ:np,fromXYZ:ip,luminanceCoefficients:t,workingColorSpaceConfig:{unpackColorSpace:Wn},outputColorSpaceConfig:{drawingBufferColorSpace:Wn}},[Wn]:{primaries:e,whitePoint:n,transfer:Ft,toXYZ:np,fromXYZ:ip,luminanceCoefficients:t,outputColorSpaceConfig:{drawingBufferColorSpace:Wn}}}),i}var Tt=c_();function ms(i){return i<.04045?i*.0773993808:Math.pow(i*.9478672986+.0521327014,2.4)}function to(i){return i<.0031308?i*12.92:1.055*Math.pow(i,.41666)-.055}var Vr,co=class{static getDataURL(e,t="image/png"){if(/^data:/i.test(e.src)||typeof HTMLCanvasElement>"u")return e.src;let n;if(e instanceof HTMLCanvasElement)n=e;else{Vr===void 0&&(Vr=pa("canvas")),Vr.width=e.width,Vr.height=e.height;let s=Vr.getContext("2d");e instanceof ImageData?s.putImageData(e,0,0):s.drawImage(e,0,0,e.width,e.height),n=Vr}return n.toDataURL(t)}static sRGBToLinear(e){if(typeof HTMLImageElement<"u"&&e instanceof HTMLImageElement||typeof HTMLCanvasElement<"u"&&e instanceof HTMLCanvasElement||typeof ImageBitmap<"u"&&e instanceof ImageBitmap){let t=pa("canvas");t.width=e.width,t.height=e.height;let n=t.getContext("2d");n.drawImage(e,0,0,e.width,e.height);let s=n.getImageData(0,0,e.width,e.height),r=s.data;for(let o=0;o<r.length;o++)r[o]=ms(r[o]/255)*255;return n.putImageData(s,0,0),t}else if(e.data){let t=e.data.slice(0);for(let n=0;n<t.length;n++)t instanceof Uint8Array||t instanceof Uint8ClampedArray?t[n]=Math.floor(ms(t[n]/255)*255):t[n]=ms(t[n]);return{data:t,width:e.width,height:e.height}}else return tt("ImageUtils.sRGBToLinear(): Unsupported image type. No color space conversion applied."),e}},h_=0,xs=class{constructor(e=null){this.isTextureSource=!0,Object.defineProperty(this,"id",{value:h_++}),this.uuid=Ks(),this.data=e,this.dataReady=!0,this.version=0}getSize(e){let t=this.data;return typeof HTMLVideoElement<"u"&&t instanceof HTMLVideoElement?e.set(t.videoWidth,t.videoHeight,0):typeof VideoFrame<"u"&&t instanceof VideoFrame?e.set(t.displayWidth,t.displayHeight,0):t!==null?e.set(t.width||0,t.height||0,t.depth||0):e.set(0,0,0),e}set needsUpdate(e){e===!0&&this.version++}toJSON(e){let t=e===void 0||typeof e=="string";if(!t&&e.images[this.uuid]!==void 0)return e.images[this.uuid];let n={uuid:this.uuid,url:""},s=this.data;if(s!==null){let r;if(Array.isArray(s)){r=[];for(let o=0,a=s.length;o<a;o++)s[o].isDataTexture?r.push(su(s[o].image)):r.push(su(s[o]))}else r=su(s);n.url=r}return t||(e.images[this.uuid]=n),n}};function su(i){return typeof HTMLImageElement<"u"&&i instanceof HTMLImageElement||typeof HTMLCanvasElement<"u"&&i instanceof HTMLCanvasElement||typeof ImageBitmap<"u"&&i instanceof ImageBitmap?co.getDataURL(i):i.data?{data:Array.from(i.data),width:i.width,height:i.height,type:i.data.constructor.name}:(tt("Texture: Unable to serialize Texture."),{})}var u_=0,ru=new k,qn=class i extends Ji{constructor(e=i.DEFAULT_IMAGE,t=i.DEFAULT_MAPPING,n=xi,s=xi,r=Pn,o=Ui,a=oi,l=Jn,c=i.DEFAULT_ANISOTROPY,h=Bi){super(),this.isTexture=!0,Object.defineProperty(this,"id",{value:u_++}),this.uuid=Ks(),this.name="",this.source=new xs(e),this.mipmaps=[],this.mapping=t,this.channel=0,this.wrapS=n,this.wrapT=s,this.magFilter=r,this.minFilter=o,this.anisotropy=c,this.format=a,this.internalFormat=null,this.type=l,this.offset=new Ee(0,0),this.repeat=new Ee(1,1),this.center=new Ee(0,0),this.rotation=0,this.matrixAutoUpdate=!0,this.matrix=new dt,this.generateMipmaps=!0,this.mipmapsAutoUpdate=!0,this.premultiplyAlpha=!1,this.flipY=!0,this.unpackAlignment=4,this.colorSpace=h,this.userData={},this.updateRanges=[],this.version=0,this.onUpdate=null,this.renderTarget=null,this.isRenderTargetTexture=!1,this.isArrayTexture=!!(e&&e.depth&&e.depth>1),this.pmremVersion=0,this.isPMREMTexture=!1,this.normalized=!1}get width(){return this.source.getSize(ru).x}get height(){return this.source.getSize(ru).y}get depth(){return this.source.getSize(ru).z}get image(){return this.source.data}set image(e){this.source.data=e}updateMatrix(){this.matrix.setUvTransform(this.offset.x,this.offset.y,this.repeat.x,this.repeat.y,this.rotation,this.center.x,this.center.y)}addUpdateRange(e,t){this.updateRanges.push({start:e,count:t})}clearUpdateRanges(){this.updateRanges.length=0}clone(){return new this.constructor().copy(this)}copy(e){return this.name=e.name,this.source=e.source,this.mipmaps=e.mipmaps.slice(0),this.mapping=e.mapping,this.channel=e.channel,this.wrapS=e.wrapS,this.wrapT=e.wrapT,this.magFilter=e.magFilter,this.minFilter=e.minFilter,this.anisotropy=e.anisotropy,this.format=e.format,this.internalFormat=e.internalFormat,this.type=e.type,this.normalized=e.normalized,this.offset.copy(e.offset),this.repeat.copy(e.repeat),this.center.copy(e.center),this.rotation=e.rotation,this.matrixAutoUpdate=e.matrixAutoUpdate,this.matrix.copy(e.matrix),this.generateMipmaps=e.generateMipmaps,this.mipmapsAutoUpdate=e.mipmapsAutoUpdate,this.premultiplyAlpha=e.premultiplyAlpha,this.flipY=e.flipY,this.unpackAlignment=e.unpackAlignment,this.colorSpace=e.colorSpace,this.renderTarget=e.renderTarget,this.isRenderTargetTexture=e.isRenderTargetTexture,this.isPMREMTexture=e.isPMREMTexture,this.isArrayTexture=e.isArrayTexture,this.userData=JSON.parse(JSON.stringify(e.userData)),this.needsUpdate=!0,this}setValues(e){for(let t in e){let n=e[t];if(n===void 0){tt(`Texture.setValues(): parameter '${t}' has value of undefined.`);continue}let s=this[t];if(s===void 0){tt(`Texture.setValues(): property '${t}' does not exist.`);continue}s&&n&&s.isVector2&&n.isVector2||s&&n&&s.isVector3&&n.isVector3||s&&n&&s.isMatrix3&&n.isMatrix3?s.copy(n):this[t]=n}}toJSON(e){let t=e===void 0||typeof e=="string";if(!t&&e.textures[this.uuid]!==void 0)return e.textures[this.uuid];let n={metadata:{version:4.7,type:"Texture",generator:"Texture.toJSON"},uuid:this.uuid,name:this.name,image:this.source.toJSON(e).uuid,mapping:this.mapping,channel:this.channel,repeat:[this.repeat.x,this.repeat.y],offset:[this.offset.x,this.offset.y],center:[this.center.x,this.center.y],rotation:this.rotation,wrap:[this.wrapS,this.wrapT],format:this.format,internalFormat:this.internalFormat,type:this.type,normalized:this.normalized,colorSpace:this.colorSpace,minFilter:this.minFilter,magFilter:this.magFilter,anisotropy:this.anisotropy,flipY:this.flipY,generateMipmaps:this.generateMipmaps,mipmapsAutoUpdate:this.mipmapsAutoUpdate,premultiplyAlpha:this.premultiplyAlpha,unpackAlignment:this.unpackAlignment};return Object.keys(this.userData).length>0&&(n.userData=this.userData),t||(e.textures[this.uuid]=n),n}dispose(){this.dispatchEvent({type:"dispose"})}transformUv(e){if(this.mapping!==Ku)return e;if(e.applyMatrix3(this.matrix),e.x<0||e.x>1)switch(this.wrapS){case io:e.x=e.x-Math.floor(e.x);break;case xi:e.x=e.x<0?0:1;break;case so:Math.abs(Math.floor(e.x)%2)===1?e.x=Math.ceil(e.x)-e.x:e.x=e.x-Math.floor(e.x);break}if(e.y<0||e.y>1)switch(this.wrapT){case io:e.y=e.y-Math.floor(e.y);break;case xi:e.y=e.y<0?0:1;break;case so:Math.abs(Math.floor(e.y)%2)===1?e.y=Math.ceil(e.y)-e.y:e.y=e.y-Math.floor(e.y);break}return this.flipY&&(e.y=1-e.y),e}set needsUpdate(e){e===!0&&(this.version++,this.source.needsUpdate=!0)}set needsPMREMUpdate(e){e===!0&&this.pmremVersion++}};qn.DEFAULT_IMAGE=null;qn.DEFAULT_MAPPING=Ku;qn.DEFAULT_ANISOTROPY=1;var Qt=class{static{this.prototype.isVector4=!0}constructor(e=0,t=0,n=0,s=1){this.x=e,this.y=t,this.z=n,this.w=s}get width(){return this.z}set width(e){this.z=e}get height(){return this.w}set height(e){this.w=e}set(e,t,n,s){return this.x=e,this.y=t,this.z=n,this.w=s,this}setScalar(e){return this.x=e,this.y=e,this.z=e,this.w=e,this}setX(e){return this.x=e,this}setY(e){return this.y=e,this}setZ(e){return this.z=e,this}setW(e){return this.w=e,this}setComponent(e,t){switch(e){case 0:this.x=t;break;case 1:this.y=t;break;case 2:this.z=t;break;case 3:this.w=t;break;default:throw new Error("THREE.Vector4: index is out of range: "+e)}return this}getComponent(e){switch(e){case 0:return this.x;case 1:return this.y;case 2:return this.z;case 3:return this.w;default:throw new Error("THREE.Vector4: index is out of range: "+e)}}clone(){return new this.constructor(this.x,this.y,this.z,this.w)}copy(e){return this.x=e.x,this.y=e.y,this.z=e.z,this.w=e.w!==void 0?e.w:1,this}add(e){return this.x+=e.x,this.y+=e.y,this.z+=e.z,this.w+=e.w,this}addScalar(e){return this.x+=e,this.y+=e,this.z+=e,this.w+=e,this}addVectors(e,t){return this.x=e.x+t.x,this.y=e.y+t.y,this.z=e.z+t.z,this.w=e.w+t.w,this}addScaledVector(e,t){return this.x+=e.x*t,this.y+=e.y*t,this.z+=e.z*t,this.w+=e.w*t,this}sub(e){return this.x-=e.x,this.y-=e.y,this.z-=e.z,this.w-=e.w,this}subScalar(e){return this.x-=e,this.y-=e,this.z-=e,this.w-=e,this}subVectors(e,t){return this.x=e.x-t.x,this.y=e.y-t.y,this.z=e.z-t.z,this.w=e.w-t.w,this}multiply(e){return this.x*=e.x,this.y*=e.y,this.z*=e.z,this.w*=e.w,this}multiplyScalar(e){return this.x*=e,this.y*=e,this.z*=e,this.w*=e,this}applyMatrix4(e){let t=this.x,n=this.y,s=this.z,r=this.w,o=e.elements;return this.x=o[0]*t+o[4]*n+o[8]*s+o[12]*r,this.y=o[1]*t+o[5]*n+o[9]*s+o[13]*r,this.z=o[2]*t+o[6]*n+o[10]*s+o[14]*r,this.w=o[3]*t+o[7]*n+o[11]*s+o[15]*r,this}divide(e){return this.x/=e.x,this.y/=e.y,this.z/=e.z,this.w/=e.w,this}divideScalar(e){return this.multiplyScalar(1/e)}setAxisAngleFromQuaternion(e){this.w=2*Math.acos(e.w);let t=Math.sqrt(1-e.w*e.w);return t<1e-4?(this.x=1,this.y=0,this.z=0):(this.x=e.x/t,this.y=e.y/t,this.z=e.z/t),this}setAxisAngleFromRotationMatrix(e){let t,n,s,r,l=e.elements,c=l[0],h=l[4],u=l[8],f=l[1],d=l[5],p=l[9],x=l[2],m=l[6],g=l[10];if(Math.abs(h-f)<.01&&Math.abs(u-x)<.01&&Math.abs(p-m)<.01){if(Math.abs(h+f)<.1&&Math.abs(u+x)<.1&&Math.abs(p+m)<.1&&Math.abs(c+d+g-3)<.1)return this.set(1,0,0,0),this;t=Math.PI;let E=(c+1)/2,_=(d+1)/2,R=(g+1)/2,A=(h+f)/4,y=(u+x)/4,b=(p+m)/4;return E>_&&E>R?E<.01?(n=0,s=.707106781,r=.707106781):(n=Math.sqrt(E),s=A/n,r=y/n):_>R?_<.01?(n=.707106781,s=0,r=.707106781):(s=Math.sqrt(_),n=A/s,r=b/s):R<.01?(n=.707106781,s=.707106781,r=0):(r=Math.sqrt(R),n=y/r,s=b/r),this.set(n,s,r,t),this}let v=Math.sqrt((m-p)*(m-p)+(u-x)*(u-x)+(f-h)*(f-h));return Math.abs(v)<.001&&(v=1),this.x=(m-p)/v,this.y=(u-x)/v,this.z=(f-h)/v,this.w=Math.acos((c+d+g-1)/2),this}setFromMatrixPosition(e){let t=e.elements;return this.x=t[12],this.y=t[13],this.z=t[14],this.w=t[15],this}min(e){return this.x=Math.min(this.x,e.x),this.y=Math.min(this.y,e.y),this.z=Math.min(this.z,e.z),this.w=Math.min(this.w,e.w),this}max(e){return this.x=Math.max(this.x,e.x),this.y=Math.max(this.y,e.y),this.z=Math.max(this.z,e.z),this.w=Math.max(this.w,e.w),this}clamp(e,t){return this.x=vt(this.x,e.x,t.x),this.y=vt(this.y,e.y,t.y),this.z=vt(this.z,e.z,t.z),this.w=vt(this.w,e.w,t.w),this}clampScalar(e,t){return this.x=vt(this.x,e,t),this.y=vt(this.y,e,t),this.z=vt(this.z,e,t),this.w=vt(this.w,e,t),this}clampLength(e,t){let n=this.length();return this.divideScalar(n||1).multiplyScalar(vt(n,e,t))}floor(){return this.x=Math.floor(this.x),this.y=Math.floor(this.y),this.z=Math.floor(this.z),this.w=Math.floor(this.w),this}ceil(){return this.x=Math.ceil(this.x),this.y=Math.ceil(this.y),this.z=Math.ceil(this.z),this.w=Math.ceil(this.w),this}round(){return this.x=Math.round(this.x),this.y=Math.round(this.y),this.z=Math.round(this.z),this.w=Math.round(this.w),this}roundToZero(){return this.x=Math.trunc(this.x),this.y=Math.trunc(this.y),this.z=Math.trunc(this.z),this.w=Math.trunc(this.w),this}negate(){return this.x=-this.x,this.y=-this.y,this.z=-this.z,this.w=-this.w,this}dot(e){return this.x*e.x+this.y*e.y+this.z*e.z+this.w*e.w}lengthSq(){return this.x*this.x+this.y*this.y+this.z*this.z+this.w*this.w}length(){return Math.sqrt(this.x*this.x+this.y*this.y+this.z*this.z+this.w*this.w)}manhattanLength(){return Math.abs(this.x)+Math.abs(this.y)+Math.abs(this.z)+Math.abs(this.w)}normalize(){return this.divideScalar(this.length()||1)}setLength(e){return this.normalize().multiplyScalar(e)}lerp(e,t){return this.x+=(e.x-this.x)*t,this.y+=(e.y-this.y)*t,this.z+=(e.z-this.z)*t,this.w+=(e.w-this.w)*t,this}lerpVectors(e,t,n){return this.x=e.x+(t.x-e.x)*n,this.y=e.y+(t.y-e.y)*n,this.z=e.z+(t.z-e.z)*n,this.w=e.w+(t.w-e.w)*n,this}equals(e){return e.x===this.x&&e.y===this.y&&e.z===this.z&&e.w===this.w}fromArray(e,t=0){return this.x=e[t],this.y=e[t+1],this.z=e[t+2],this.w=e[t+3],this}toArray(e=[],t=0){return e[t]=this.x,e[t+1]=this.y,e[t+2]=this.z,e[t+3]=this.w,e}fromBufferAttribute(e,t){return this.x=e.getX(t),this.y=e.getY(t),this.z=e.getZ(t),this.w=e.getW(t),this}random(){return this.x=Math.random(),this.y=Math.random(),this.z=Math.random(),this.w=Math.random(),this}*[Symbol.iterator](){yield this.x,yield this.y,yield this.z,yield this.w}},$l=class extends Ji{constructor(e=1,t=1,n={}){super(),n=Object.assign({generateMipmaps:!1,internalFormat:null,minFilter:Pn,depthBuffer:!0,stencilBuffer:!1,resolveColorBuffer:!0,resolveDepthBuffer:!0,resolveStencilBuffer:!0,storeMultisampledColorBuffer:!0,storeMultisampledDepthBuffer:!0,storeMultisampledStencilBuffer:!0,depthTexture:null,samples:0,count:1,depth:1,multiview:!1,useArrayDepthTexture:!1},n),this.isRenderTarget=!0,this.width=e,this.height=t,this.depth=n.depth,this.scissor=new Qt(0,0,e,t),this.scissorTest=!1,this.viewport=new Qt(0,0,e,t),this.textures=[];let s=n.count;for(let r=0;r<s;r++)this.textures[r]=new qn({width:e,height:t,depth:n.depth}),this.textures[r].isRenderTargetTexture=!0,this.textures[r].renderTarget=this;this._setTextureOptions(n),this.depthBuffer=n.depthBuffer,this.stencilBuffer=n.stencilBuffer,this.resolveColorBuffer=n.resolveColorBuffer,this.resolveDepthBuffer=n.resolveDepthBuffer,this.resolveStencilBuffer=n.resolveStencilBuffer,this.storeMultisampledColorBuffer=n.storeMultisampledColorBuffer,this.storeMultisampledDepthBuffer=n.storeMultisampledDepthBuffer,this.storeMultisampledStencilBuffer=n.storeMultisampledStencilBuffer,this._depthTexture=null,this.depthTexture=n.depthTexture,this.samples=n.samples,this.multiview=n.multiview,this.useArrayDepthTexture=n.useArrayDepthTexture}_setTextureOptions(e={}){let t={minFilter:Pn,generateMipmaps:!1,flipY:!1,internalFormat:null};e.mapping!==void 0&&(t.mapping=e.mapping),e.wrapS!==void 0&&(t.wrapS=e.wrapS),e.wrapT!==void 0&&(t.wrapT=e.wrapT),e.wrapR!==void 0&&(t.wrapR=e.wrapR),e.magFilter!==void 0&&(t.magFilter=e.magFilter),e.minFilter!==void 0&&(t.minFilter=e.minFilter),e.format!==void 0&&(t.format=e.format),e.type!==void 0&&(t.type=e.type),e.anisotropy!==void 0&&(t.anisotropy=e.anisotropy),e.colorSpace!==void 0&&(t.colorSpace=e.colorSpace),e.flipY!==void 0&&(t.flipY=e.flipY),e.generateMipmaps!==void 0&&(t.generateMipmaps=e.generateMipmaps),e.mipmapsAutoUpdate!==void 0&&(t.mipmapsAutoUpdate=e.mipmapsAutoUpdate),e.internalFormat!==void 0&&(t.internalFormat=e.internalFormat);for(let n=0;n<this.textures.length;n++)this.textures[n].setValues(t)}get texture(){return this.textures[0]}set texture(e){this.textures[0]=e}set depthTexture(e){this._depthTexture!==null&&this._depthTexture.renderTarget===this&&(this._depthTexture.renderTarget=null),e!==null&&e.renderTarget===null&&(e.renderTarget=this),this._depthTexture=e}get depthTexture(){return this._depthTexture}setSize(e,t,n=1){if(this.width!==e||this.height!==t||this.depth!==n){this.width=e,this.height=t,this.depth=n;for(let s=0,r=this.textures.length;s<r;s++)this.textures[s].image.width=e,this.textures[s].image.height=t,this.textures[s].image.depth=n,this.textures[s].isData3DTexture!==!0&&(this.textures[s].isArrayTexture=this.textures[s].image.depth>1);this.dispose()}this.viewport.set(0,0,e,t),this.scissor.set(0,0,e,t)}clone(){return new this.constructor().copy(this)}copy(e){this.width=e.width,this.height=e.height,this.depth=e.depth,this.scissor.copy(e.scissor),this.scissorTest=e.scissorTest,this.viewport.copy(e.viewport),this.textures.length=0;for(let t=0,n=e.textures.length;t<n;t++){this.textures[t]=e.textures[t].clone(),this.textures[t].isRenderTargetTexture=!0,this.textures[t].renderTarget=this;let s=Object.assign({},e.textures[t].image);this.textures[t].source=new xs(s)}if(this.depthBuffer=e.depthBuffer,this.stencilBuffer=e.stencilBuffer,this.resolveColorBuffer=e.resolveColorBuffer,this.resolveDepthBuffer=e.resolveDepthBuffer,this.resolveStencilBuffer=e.resolveStencilBuffer,this.storeMultisampledColorBuffer=e.storeMultisampledColorBuffer,this.storeMultisampledDepthBuffer=e.storeMultisampledDepthBuffer,this.storeMultisampledStencilBuffer=e.storeMultisampledStencilBuffer,e.depthTexture!==null)if(e.depthTexture.renderTarget===e){let t=e.depthTexture.clone();t.renderTarget=null,this.depthTexture=t}else this.depthTexture=e.depthTexture;else this.depthTexture=null;return this.samples=e.samples,this.multiview=e.multiview,this.useArrayDepthTexture=e.useArrayDepthTexture,this}dispose(){this.dispatchEvent({type:"dispose"})}},si=class extends $l{constructor(e=1,t=1,n={}){super(e,t,n),this.isWebGLRenderTarget=!0}},ma=class extends qn{constructor(e=null,t=1,n=1,s=1){super(null),this.isDataArrayTexture=!0,this.image={data:e,width:t,height:n,depth:s},this.magFilter=pn,this.minFilter=pn,this.wrapR=xi,this.generateMipmaps=!1,this.flipY=!1,this.unpackAlignment=1,this.layerUpdates=new Set}copy(e){return super.copy(e),this.wrapR=e.wrapR,this}addLayerUpdate(e){this.layerUpdates.add(e)}clearLayerUpdates(){this.layerUpdates.clear()}};var Zl=class extends qn{constructor(e=null,t=1,n=1,s=1){super(null),this.isData3DTexture=!0,this.image={data:e,width:t,height:n,depth:s},this.magFilter=pn,this.minFilter=pn,this.wrapR=xi,this.generateMipmaps=!1,this.flipY=!1,this.unpackAlignment=1}copy(e){return super.copy(e),this.wrapR=e.wrapR,this}};var Rt=class i{static{this.prototype.isMatrix4=!0}constructor(e,t,n,s,r,o,a,l,c,h,u,f,d,p,x,m){this.elements=[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1],e!==void 0&&this.set(e,t,n,s,r,o,a,l,c,h,u,f,d,p,x,m)}set(e,t,n,s,r,o,a,l,c,h,u,f,d,p,x,m){let g=this.elements;return g[0]=e,g[4]=t,g[8]=n,g[12]=s,g[1]=r,g[5]=o,g[9]=a,g[13]=l,g[2]=c,g[6]=h,g[10]=u,g[14]=f,g[3]=d,g[7]=p,g[11]=x,g[15]=m,this}identity(){return this.set(1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1),this}clone(){return new i().fromArray(this.elements)}copy(e){let t=this.elements,n=e.elements;return t[0]=n[0],t[1]=n[1],t[2]=n[2],t[3]=n[3],t[4]=n[4],t[5]=n[5],t[6]=n[6],t[7]=n[7],t[8]=n[8],t[9]=n[9],t[10]=n[10],t[11]=n[11],t[12]=n[12],t[13]=n[13],t[14]=n[14],t[15]=n[15],this}copyPosition(e){let t=this.elements,n=e.elements;return t[12]=n[12],t[13]=n[13],t[14]=n[14],this}setFromMatrix3(e){let t=e.elements;return this.set(t[0],t[3],t[6],0,t[1],t[4],t[7],0,t[2],t[5],t[8],0,0,0,0,1),this}extractBasis(e,t,n){return this.determinantAffine()===0?(e.set(1,0,0),t.set(0,1,0),n.set(0,0,1),this):(e.setFromMatrixColumn(this,0),t.setFromMatrixColumn(this,1),n.setFromMatrixColumn(this,2),this)}makeBasis(e,t,n){return this.set(e.x,t.x,n.x,0,e.y,t.y,n.y,0,e.z,t.z,n.z,0,0,0,0,1),this}extractRotation(e){if(e.determinantAffine()===0)return this.identity();let t=this.elements,n=e.elements,s=1/Hr.setFromMatrixColumn(e,0).length(),r=1/Hr.setFromMatrixColumn(e,1).length(),o=1/Hr.setFromMatrixColumn(e,2).length();return t[0]=n[0]*s,t[1]=n[1]*s,t[2]=n[2]*s,t[3]=0,t[4]=n[4]*r,t[5]=n[5]*r,t[6]=n[6]*r,t[7]=0,t[8]=n[8]*o,t[9]=n[9]*o,t[10]=n[10]*o,t[11]=0,t[12]=0,t[13]=0,t[14]=0,t[15]=1,this}makeRotationFromEuler(e){let t=this.elements,n=e.x,s=e.y,r=e.z,o=Math.cos(n),a=Math.sin(n),l=Math.cos(s),c=Math.sin(s),h=Math.cos(r),u=Math.sin(r);if(e.order==="XYZ"){let f=o*h,d=o*u,p=a*h,x=a*u;t[0]=l*h,t[4]=-l*u,t[8]=c,t[1]=d+p*c,t[5]=f-x*c,t[9]=-a*l,t[2]=x-f*c,t[6]=p+d*c,t[10]=o*l}else if(e.order==="YXZ"){let f=l*h,d=l*u,p=c*h,x=c*u;t[0]=f+x*a,t[4]=p*a-d,t[8]=o*c,t[1]=o*u,t[5]=o*h,t[9]=-a,t[2]=d*a-p,t[6]=x+f*a,t[10]=o*l}else if(e.order==="ZXY"){let f=l*h,d=l*u,p=c*h,x=c*u;t[0]=f-x*a,t[4]=-o*u,t[8]=p+d*a,t[1]=d+p*a,t[5]=o*h,t[9]=x-f*a,t[2]=-o*c,t[6]=a,t[10]=o*l}else if(e.order==="ZYX"){let f=o*h,d=o*u,p=a*h,x=a*u;t[0]=l*h,t[4]=p*c-d,t[8]=f*c+x,t[1]=l*u,t[5]=x*c+f,t[9]=d*c-p,t[2]=-c,t[6]=a*l,t[10]=o*l}else if(e.order==="YZX"){let f=o*l,d=o*c,p=a*l,x=a*c;t[0]=l*h,t[4]=x-f*u,t[8]=p*u+d,t[1]=u,t[5]=o*h,t[9]=-a*h,t[2]=-c*h,t[6]=d*u+p,t[10]=f-x*u}else if(e.order==="XZY"){let f=o*l,d=o*c,p=a*l,x=a*c;t[0]=l*h,t[4]=-u,t[8]=c*h,t[1]=f*u+x,t[5]=o*h,t[9]=d*u-p,t[2]=p*u-d,t[6]=a*h,t[10]=x*u+f}return t[3]=0,t[7]=0,t[11]=0,t[12]=0,t[13]=0,t[14]=0,t[15]=1,this}makeRotationFromQuaternion(e){return this.compose(f_,e,d_)}lookAt(e,t,n){let s=this.elements;return ti.subVectors(e,t),ti.lengthSq()===0&&(ti.z=1),ti.normalize(),Fs.crossVectors(n,ti),Fs.lengthSq()===0&&(Math.abs(n.z)===1?ti.x+=1e-4:ti.z+=1e-4,ti.normalize(),Fs.crossVectors(n,ti)),Fs.normalize(),ml.crossVectors(ti,Fs),s[0]=Fs.x,s[4]=ml.x,s[8]=ti.x,s[1]=Fs.y,s[5]=ml.y,s[9]=ti.y,s[2]=Fs.z,s[6]=ml.z,s[10]=ti.z,this}multiply(e){return this.multiplyMatrices(this,e)}premultiply(e){return this.multiplyMatrices(e,this)}multiplyMatrices(e,t){let n=e.elements,s=t.elements,r=this.elements,o=n[0],a=n[4],l=n[8],c=n[12],h=n[1],u=n[5],f=n[9],d=n[13],p=n[2],x=n[6],m=n[10],g=n[14],v=n[3],E=n[7],_=n[11],R=n[15],A=s[0],y=s[4],b=s[8],U=s[12],I=s[1],P=s[5],z=s[9],V=s[13],N=s[2],B=s[6],X=s[10],G=s[14],le=s[3],Y=s[7],K=s[11],ee=s[15];return r[0]=o*A+a*I+l*N+c*le,r[4]=o*y+a*P+l*B+c*Y,r[8]=o*b+a*z+l*X+c*K,r[12]=o*U+a*V+l*G+c*ee,r[1]=h*A+u*I+f*N+d*le,r[5]=h*y+u*P+f*B+d*Y,r[9]=h*b+u*z+f*X+d*K,r[13]=h*U+u*V+f*G+d*ee,r[2]=p*A+x*I+m*N+g*le,r[6]=p*y+x*P+m*B+g*Y,r[10]=p*b+x*z+m*X+g*K,r[14]=p*U+x*V+m*G+g*ee,r[3]=v*A+E*I+_*N+R*le,r[7]=v*y+E*P+_*B+R*Y,r[11]=v*b+E*z+_*X+R*K,r[15]=v*U+E*V+_*G+R*ee,this}multiplyScalar(e){let t=this.elements;return t[0]*=e,t[4]*=e,t[8]*=e,t[12]*=e,t[1]*=e,t[5]*=e,t[9]*=e,t[13]*=e,t[2]*=e,t[6]*=e,t[10]*=e,t[14]*=e,t[3]*=e,t[7]*=e,t[11]*=e,t[15]*=e,this}determinant(){let e=this.elements,t=e[0],n=e[4],s=e[8],r=e[12],o=e[1],a=e[5],l=e[9],c=e[13],h=e[2],u=e[6],f=e[10],d=e[14],p=e[3],x=e[7],m=e[11],g=e[15],v=l*d-c*f,E=a*d-c*u,_=a*f-l*u,R=o*d-c*h,A=o*f-l*h,y=o*u-a*h;return t*(x*v-m*E+g*_)-n*(p*v-m*R+g*A)+s*(p*E-x*R+g*y)-r*(p*_-x*A+m*y)}determinantAffine(){let e=this.elements,t=e[0],n=e[4],s=e[8],r=e[1],o=e[5],a=e[9],l=e[2],c=e[6],h=e[10];return t*(o*h-a*c)-n*(r*h-a*l)+s*(r*c-o*l)}transpose(){let e=this.elements,t;return t=e[1],e[1]=e[4],e[4]=t,t=e[2],e[2]=e[8],e[8]=t,t=e[6],e[6]=e[9],e[9]=t,t=e[3],e[3]=e[12],e[12]=t,t=e[7],e[7]=e[13],e[13]=t,t=e[11],e[11]=e[14],e[14]=t,this}setPosition(e,t,n){let s=this.elements;return e.isVector3?(s[12]=e.x,s[13]=e.y,s[14]=e.z):(s[12]=e,s[13]=t,s[14]=n),this}invert(){let e=this.elements,t=e[0],n=e[1],s=e[2],r=e[3],o=e[4],a=e[5],l=e[6],c=e[7],h=e[8],u=e[9],f=e[10],d=e[11],p=e[12],x=e[13],m=e[14],g=e[15],v=t*a-n*o,E=t*l-s*o,_=t*c-r*o,R=n*l-s*a,A=n*c-r*a,y=s*c-r*l,b=h*x-u*p,U=h*m-f*p,I=h*g-d*p,P=u*m-f*x,z=u*g-d*x,V=f*g-d*m,N=v*V-E*z+_*P+R*I-A*U+y*b;if(N===0)return this.set(0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0);let B=1/N;return e[0]=(a*V-l*z+c*P)*B,e[1]=(s*z-n*V-r*P)*B,e[2]=(x*y-m*A+g*R)*B,e[3]=(f*A-u*y-d*R)*B,e[4]=(l*I-o*V-c*U)*B,e[5]=(t*V-s*I+r*U)*B,e[6]=(m*_-p*y-g*E)*B,e[7]=(h*y-f*_+d*E)*B,e[8]=(o*z-a*I+c*b)*B,e[9]=(n*I-t*z-r*b)*B,e[10]=(p*A-x*_+g*v)*B,e[11]=(u*_-h*A-d*v)*B,e[12]=(a*U-o*P-l*b)*B,e[13]=(t*P-n*U+s*b)*B,e[14]=(x*E-p*R-m*v)*B,e[15]=(h*R-u*E+f*v)*B,this}scale(e){let t=this.elements,n=e.x,s=e.y,r=e.z;return t[0]*=n,t[4]*=s,t[8]*=r,t[1]*=n,t[5]*=s,t[9]*=r,t[2]*=n,t[6]*=s,t[10]*=r,t[3]*=n,t[7]*=s,t[11]*=r,this}getMaxScaleOnAxis(){let e=this.elements,t=e[0]*e[0]+e[1]*e[1]+e[2]*e[2],n=e[4]*e[4]+e[5]*e[5]+e[6]*e[6],s=e[8]*e[8]+e[9]*e[9]+e[10]*e[10];return Math.sqrt(Math.max(t,n,s))}makeTranslation(e,t,n){return e.isVector3?this.set(1,0,0,e.x,0,1,0,e.y,0,0,1,e.z,0,0,0,1):this.set(1,0,0,e,0,1,0,t,0,0,1,n,0,0,0,1),this}makeRotationX(e){let t=Math.cos(e),n=Math.sin(e);return this.set(1,0,0,0,0,t,-n,0,0,n,t,0,0,0,0,1),this}makeRotationY(e){let t=Math.cos(e),n=Math.sin(e);return this.set(t,0,n,0,0,1,0,0,-n,0,t,0,0,0,0,1),this}makeRotationZ(e){let t=Math.cos(e),n=Math.sin(e);return this.set(t,-n,0,0,n,t,0,0,0,0,1,0,0,0,0,1),this}makeRotationAxis(e,t){let n=Math.cos(t),s=Math.sin(t),r=1-n,o=e.x,a=e.y,l=e.z,c=r*o,h=r*a;return this.set(c*o+n,c*a-s*l,c*l+s*a,0,c*a+s*l,h*a+n,h*l-s*o,0,c*l-s*a,h*l+s*o,r*l*l+n,0,0,0,0,1),this}makeScale(e,t,n){return this.set(e,0,0,0,0,t,0,0,0,0,n,0,0,0,0,1),this}makeShear(e,t,n,s,r,o){return this.set(1,n,r,0,e,1,o,0,t,s,1,0,0,0,0,1),this}compose(e,t,n){let s=this.elements,r=t._x,o=t._y,a=t._z,l=t._w,c=r+r,h=o+o,u=a+a,f=r*c,d=r*h,p=r*u,x=o*h,m=o*u,g=a*u,v=l*c,E=l*h,_=l*u,R=n.x,A=n.y,y=n.z;return s[0]=(1-(x+g))*R,s[1]=(d+_)*R,s[2]=(p-E)*R,s[3]=0,s[4]=(d-_)*A,s[5]=(1-(f+g))*A,s[6]=(m+v)*A,s[7]=0,s[8]=(p+E)*y,s[9]=(m-v)*y,s[10]=(1-(f+x))*y,s[11]=0,s[12]=e.x,s[13]=e.y,s[14]=e.z,s[15]=1,this}decompose(e,t,n){let s=this.elements;e.x=s[12],e.y=s[13],e.z=s[14];let r=this.determinantAffine();if(r===0)return n.set(1,1,1),t.identity(),this;let o=Hr.set(s[0],s[1],s[2]).length(),a=Hr.set(s[4],s[5],s[6]).length(),l=Hr.set(s[8],s[9],s[10]).length();r<0&&(o=-o),Li.copy(this);let c=1/o,h=1/a,u=1/l;return Li.elements[0]*=c,Li.elements[1]*=c,Li.elements[2]*=c,Li.elements[4]*=h,Li.elements[5]*=h,Li.elements[6]*=h,Li.elements[8]*=u,Li.elements[9]*=u,Li.elements[10]*=u,t.setFromRotationMatrix(Li),n.x=o,n.y=a,n.z=l,this}makePerspective(e,t,n,s,r,o,a=_i,l=!1){let c=this.elements,h=2*r/(t-e),u=2*r/(n-s),f=(t+e)/(t-e),d=(n+s)/(n-s),p,x;if(l)p=r/(o-r),x=o*r/(o-r);else if(a===_i)p=-(o+r)/(o-r),x=-2*o*r/(o-r);else if(a===oo)p=-o/(o-r),x=-o*r/(o-r);else throw new Error("THREE.Matrix4.makePerspective(): Invalid coordinate system: "+a);return c[0]=h,c[4]=0,c[8]=f,c[12]=0,c[1]=0,c[5]=u,c[9]=d,c[13]=0,c[2]=0,c[6]=0,c[10]=p,c[14]=x,c[3]=0,c[7]=0,c[11]=-1,c[15]=0,this}makeOrthographic(e,t,n,s,r,o,a=_i,l=!1){let c=this.elements,h=2/(t-e),u=2/(n-s),f=-(t+e)/(t-e),d=-(n+s)/(n-s),p,x;if(l)p=1/(o-r),x=o/(o-r);else if(a===_i)p=-2/(o-r),x=-(o+r)/(o-r);else if(a===oo)p=-1/(o-r),x=-r/(o-r);else throw new Error("THREE.Matrix4.makeOrthographic(): Invalid coordinate system: "+a);return c[0]=h,c[4]=0,c[8]=0,c[12]=f,c[1]=0,c[5]=u,c[9]=0,c[13]=d,c[2]=0,c[6]=0,c[10]=p,c[14]=x,c[3]=0,c[7]=0,c[11]=0,c[15]=1,this}equals(e){let t=this.elements,n=e.elements;for(let s=0;s<16;s++)if(t[s]!==n[s])return!1;return!0}fromArray(e,t=0){for(let n=0;n<16;n++)this.elements[n]=e[n+t];return this}toArray(e=[],t=0){let n=this.elements;return e[t]=n[0],e[t+1]=n[1],e[t+2]=n[2],e[t+3]=n[3],e[t+4]=n[4],e[t+5]=n[5],e[t+6]=n[6],e[t+7]=n[7],e[t+8]=n[8],e[t+9]=n[9],e[t+10]=n[10],e[t+11]=n[11],e[t+12]=n[12],e[t+13]=n[13],e[t+14]=n[14],e[t+15]=n[15],e}},Hr=new k,Li=new Rt,f_=new k(0,0,0),d_=new k(1,1,1),Fs=new k,ml=new k,ti=new k,sp=new Rt,rp=new yi,_s=class i{constructor(e=0,t=0,n=0,s=i.DEFAULT_ORDER){this.isEuler=!0,this._x=e,this._y=t,this._z=n,this._order=s}get x(){return this._x}set x(e){this._x=e,this._onChangeCallback()}get y(){return this._y}set y(e){this._y=e,this._onChangeCallback()}get z(){return this._z}set z(e){this._z=e,this._onChangeCallback()}get order(){return this._order}set order(e){this._order=e,this._onChangeCallback()}set(e,t,n,s=this._order){return this._x=e,this._y=t,this._z=n,this._order=s,this._onChangeCallback(),this}clone(){return new this.constructor(this._x,this._y,this._z,this._order)}copy(e){return this._x=e._x,this._y=e._y,this._z=e._z,this._order=e._order,this._onChangeCallback(),this}setFromRotationMatrix(e,t=this._order,n=!0){let s=e.elements,r=s[0],o=s[4],a=s[8],l=s[1],c=s[5],h=s[9],u=s[2],f=s[6],d=s[10];switch(t){case"XYZ":this._y=Math.asin(vt(a,-1,1)),Math.abs(a)<.9999999?(this._x=Math.atan2(-h,d),this._z=Math.atan2(-o,r)):(this._x=Math.atan2(f,c),this._z=0);break;case"YXZ":this._x=Math.asin(-vt(h,-1,1)),Math.abs(h)<.9999999?(this._y=Math.atan2(a,d),this._z=Math.atan2(l,c)):(this._y=Math.atan2(-u,r),this._z=0);break;case"ZXY":this._x=Math.asin(vt(f,-1,1)),Math.abs(f)<.9999999?(this._y=Math.atan2(-u,d),this._z=Math.atan2(-o,c)):(this._y=0,this._z=Math.atan2(l,r));break;case"ZYX":this._y=Math.asin(-vt(u,-1,1)),Math.abs(u)<.9999999?(this._x=Math.atan2(f,d),this._z=Math.atan2(l,r)):(this._x=0,this._z=Math.atan2(-o,c));break;case"YZX":this._z=Math.asin(vt(l,-1,1)),Math.abs(l)<.9999999?(this._x=Math.atan2(-h,c),this._y=Math.atan2(-u,r)):(this._x=0,this._y=Math.atan2(a,d));break;case"XZY":this._z=Math.asin(-vt(o,-1,1)),Math.abs(o)<.9999999?(this._x=Math.atan2(f,c),this._y=Math.atan2(a,r)):(this._x=Math.atan2(-h,d),this._y=0);break;default:tt("Euler: .setFromRotationMatrix() encountered an unknown order: "+t)}return this._order=t,n===!0&&this._onChangeCallback(),this}setFromQuaternion(e,t,n){return sp.makeRotationFromQuaternion(e),this.setFromRotationMatrix(sp,t,n)}setFromVector3(e,t=this._order){return this.set(e.x,e.y,e.z,t)}reorder(e){return rp.setFromEuler(this),this.setFromQuaternion(rp,e)}equals(e){return e._x===this._x&&e._y===this._y&&e._z===this._z&&e._order===this._order}fromArray(e){return this._x=e[0],this._y=e[1],this._z=e[2],e[3]!==void 0&&(this._order=e[3]),this._onChangeCallback(),this}toArray(e=[],t=0){return e[t]=this._x,e[t+1]=this._y,e[t+2]=this._z,e[t+3]=this._order,e}_onChange(e){return this._onChangeCallback=e,this}_onChangeCallback(){}*[Symbol.iterator](){yield this._x,yield this._y,yield this._z,yield this._order}};_s.DEFAULT_ORDER="XYZ";var ho=class{constructor(){this.mask=1}set(e){this.mask=(1<<e|0)>>>0}enable(e){this.mask|=1<<e|0}enableAll(){this.mask=-1}toggle(e){this.mask^=1<<e|0}disable(e){this.mask&=~(1<<e|0)}disableAll(){this.mask=0}test(e){return(this.mask&e.mask)!==0}isEnabled(e){return(this.mask&(1<<e|0))!==0}},p_=0,op=new k,Wr=new yi,hs=new Rt,gl=new k,jo=new k,m_=new k,g_=new yi,ap=new k(1,0,0),lp=new k(0,1,0),cp=new k(0,0,1),hp={type:"added"},x_={type:"removed"},Xr={type:"childadded",child:null},ou={type:"childremoved",child:null},Ln=class i extends Ji{constructor(){super(),this.isObject3D=!0,Object.defineProperty(this,"id",{value:p_++}),this.uuid=Ks(),this.name="",this.type="Object3D",this.parent=null,this.children=[],this.up=i.DEFAULT_UP.clone();let e=new k,t=new _s,n=new yi,s=new k(1,1,1);function r(){n.setFromEuler(t,!1)}function o(){t.setFromQuaternion(n,void 0,!1)}t._onChange(r),n._onChange(o),Object.defineProperties(this,{position:{configurable:!0,enumerable:!0,value:e},rotation:{configurable:!0,enumerable:!0,value:t},quaternion:{configurable:!0,enumerable:!0,value:n},scale:{configurable:!0,enumerable:!0,value:s},modelViewMatrix:{value:new Rt},normalMatrix:{value:new dt}}),this.matrix=new Rt,this.matrixWorld=new Rt,this.matrixAutoUpdate=i.DEFAULT_MATRIX_AUTO_UPDATE,this.matrixWorldAutoUpdate=i.DEFAULT_MATRIX_WORLD_AUTO_UPDATE,this.matrixWorldNeedsUpdate=!1,this.layers=new ho,this.visible=!0,this.castShadow=!1,this.receiveShadow=!1,this.frustumCulled=!0,this.renderOrder=0,this.animations=[],this.customDepthMaterial=void 0,this.customDistanceMaterial=void 0,this.static=!1,this.userData={},this.pivot=null}onBeforeShadow(){}onAfterShadow(){}onBeforeRender(){}onAfterRender(){}applyMatrix4(e){this.matrixAutoUpdate&&this.updateMatrix(),this.matrix.premultiply(e),this.matrix.decompose(this.position,this.quaternion,this.scale),this.pivot!==null&&this.position.copy(this.pivot).applyMatrix4(this.matrix).sub(this.pivot)}applyQuaternion(e){return this.quaternion.premultiply(e),this}setRotationFromAxisAngle(e,t){this.quaternion.setFromAxisAngle(e,t)}setRotationFromEuler(e){this.quaternion.setFromEuler(e,!0)}setRotationFromMatrix(e){this.quaternion.setFromRotationMatrix(e)}setRotationFromQuaternion(e){this.quaternion.copy(e)}rotateOnAxis(e,t){return Wr.setFromAxisAngle(e,t),this.quaternion.multiply(Wr),this}rotateOnWorldAxis(e,t){return Wr.setFromAxisAngle(e,t),this.quaternion.premultiply(Wr),this}rotateX(e){return this.rotateOnAxis(ap,e)}rotateY(e){return this.rotateOnAxis(lp,e)}rotateZ(e){return this.rotateOnAxis(cp,e)}translateOnAxis(e,t){return op.copy(e).applyQuaternion(this.quaternion),this.position.add(op.multiplyScalar(t)),this}translateX(e){return this.translateOnAxis(ap,e)}translateY(e){return this.translateOnAxis(lp,e)}translateZ(e){return this.translateOnAxis(cp,e)}localToWorld(e){return this.updateWorldMatrix(!0,!1),e.applyMatrix4(this.matrixWorld)}worldToLocal(e){return this.updateWorldMatrix(!0,!1),e.applyMatrix4(hs.copy(this.matrixWorld).invert())}lookAt(e,t,n){e.isVector3?gl.copy(e):gl.set(e,t,n);let s=this.parent;this.updateWorldMatrix(!0,!1),jo.setFromMatrixPosition(this.matrixWorld),this.isCamera||this.isLight?hs.lookAt(jo,gl,this.up):hs.lookAt(gl,jo,this.up),this.quaternion.setFromRotationMatrix(hs),s&&(hs.extractRotation(s.matrixWorld),Wr.setFromRotationMatrix(hs),this.quaternion.premultiply(Wr.invert()))}add(e){if(arguments.length>1){for(let t=0;t<arguments.length;t++)this.add(arguments[t]);return this}return e===this?(at("Object3D.add: object can't be added as a child of itself.",e),this):(e&&e.isObject3D?(e.removeFromParent(),e.parent=this,this.children.push(e),e.dispatchEvent(hp),Xr.child=e,this.dispatchEvent(Xr),Xr.child=null):at("Object3D.add: object not an instance of THREE.Object3D.",e),this)}remove(e){if(arguments.length>1){for(let n=0;n<arguments.length;n++)this.remove(arguments[n]);return this}let t=this.children.indexOf(e);return t!==-1&&(e.parent=null,this.children.splice(t,1),e.dispatchEvent(x_),ou.child=e,this.dispatchEvent(ou),ou.child=null),this}removeFromParent(){let e=this.parent;return e!==null&&e.remove(this),this}clear(){return this.remove(...this.children)}attach(e){return this.updateWorldMatrix(!0,!1),hs.copy(this.matrixWorld).invert(),e.parent!==null&&(e.parent.updateWorldMatrix(!0,!1),hs.multiply(e.parent.matrixWorld)),e.applyMatrix4(hs),e.removeFromParent(),e.parent=this,this.children.push(e),e.updateWorldMatrix(!1,!0),e.dispatchEvent(hp),Xr.child=e,this.dispatchEvent(Xr),Xr.child=null,this}getObjectById(e){return this.getObjectByProperty("id",e)}getObjectByName(e){return this.getObjectByProperty("name",e)}getObjectByProperty(e,t){if(this[e]===t)return this;for(let n=0,s=this.children.length;n<s;n++){let o=this.children[n].getObjectByProperty(e,t);if(o!==void 0)return o}}getObjectsByProperty(e,t,n=[]){this[e]===t&&n.push(this);let s=this.children;for(let r=0,o=s.length;r<o;r++)s[r].getObjectsByProperty(e,t,n);return n}getWorldPosition(e){return this.updateWorldMatrix(!0,!1),e.setFromMatrixPosition(this.matrixWorld)}getWorldQuaternion(e){return this.updateWorldMatrix(!0,!1),this.matrixWorld.decompose(jo,e,m_),e}getWorldScale(e){return this.updateWorldMatrix(!0,!1),this.matrixWorld.decompose(jo,g_,e),e}getWorldDirection(e){this.updateWorldMatrix(!0,!1);let t=this.matrixWorld.elements;return e.set(t[8],t[9],t[10]).normalize()}raycast(){}intersectsFrustum(){return!0}traverse(e){e(this);let t=this.children;for(let n=0,s=t.length;n<s;n++)t[n].traverse(e)}traverseVisible(e){if(this.visible===!1)return;e(this);let t=this.children;for(let n=0,s=t.length;n<s;n++)t[n].traverseVisible(e)}traverseAncestors(e){let t=this.parent;t!==null&&(e(t),t.traverseAncestors(e))}updateMatrix(){this.matrix.compose(this.position,this.quaternion,this.scale);let e=this.pivot;if(e!==null){let t=e.x,n=e.y,s=e.z,r=this.matrix.elements;r[12]+=t-r[0]*t-r[4]*n-r[8]*s,r[13]+=n-r[1]*t-r[5]*n-r[9]*s,r[14]+=s-r[2]*t-r[6]*n-r[10]*s}this.matrixWorldNeedsUpdate=!0}updateMatrixWorld(e){this.matrixAutoUpdate&&this.updateMatrix(),(this.matrixWorldNeedsUpdate||e)&&(this.matrixWorldAutoUpdate===!0&&(this.parent===null?this.matrixWorld.copy(this.matrix):this.matrixWorld.multiplyMatrices(this.parent.matrixWorld,this.matrix)),this.matrixWorldNeedsUpdate=!1,e=!0);let t=this.children;for(let n=0,s=t.length;n<s;n++)t[n].updateMatrixWorld(e)}updateWorldMatrix(e,t,n=!1){let s=this.parent;if(e===!0&&s!==null&&s.updateWorldMatrix(!0,!1),this.matrixAutoUpdate&&this.updateMatrix(),(this.matrixWorldNeedsUpdate||n)&&(this.matrixWorldAutoUpdate===!0&&(this.parent===null?this.matrixWorld.copy(this.matrix):this.matrixWorld.multiplyMatrices(this.parent.matrixWorld,this.matrix)),this.matrixWorldNeedsUpdate=!1,n=!0),t===!0){let r=this.children;for(let o=0,a=r.length;o<a;o++)r[o].updateWorldMatrix(!1,!0,n)}}toJSON(e){let t=e===void 0||typeof e=="string",n={};t&&(e={geometries:{},materials:{},textures:{},images:{},shapes:{},skeletons:{},animations:{},nodes:{}},n.metadata={version:4.7,type:"Object",generator:"Object3D.toJSON"});let s={};s.uuid=this.uuid,s.type=this.type,s.name=this.name,s.castShadow=this.castShadow,s.receiveShadow=this.receiveShadow,s.visible=this.visible,s.frustumCulled=this.frustumCulled,s.renderOrder=this.renderOrder,s.static=this.static,s.matrixAutoUpdate=this.matrixAutoUpdate,Object.keys(this.userData).length>0&&(s.userData=this.userData),s.layers=this.layers.mask,s.matrix=this.matrix.toArray(),s.up=this.up.toArray(),this.pivot!==null&&(s.pivot=this.pivot.toArray()),this.morphTargetDictionary!==void 0&&(s.morphTargetDictionary=Object.assign({},this.morphTargetDictionary)),this.morphTargetInfluences!==void 0&&(s.morphTargetInfluences=this.morphTargetInfluences.slice()),this.isInstancedMesh&&(s.type="InstancedMesh",s.count=this.count,s.instanceMatrix=this.instanceMatrix.toJSON(),this.instanceColor!==null&&(s.instanceColor=this.instanceColor.toJSON())),this.isBatchedMesh&&(s.type="BatchedMesh",s.perObjectFrustumCulled=this.perObjectFrustumCulled,s.sortObjects=this.sortObjects,s.drawRanges=this._drawRanges,s.reservedRanges=this._reservedRanges,s.geometryInfo=this._geometryInfo.map(a=>({...a,boundingBox:a.boundingBox?a.boundingBox.toJSON():void 0,boundingSphere:a.boundingSphere?a.boundingSphere.toJSON():void 0})),s.instanceInfo=this._instanceInfo.map(a=>({...a})),s.availableInstanceIds=this._availableInstanceIds.slice(),s.availableGeometryIds=this._availableGeometryIds.slice(),s.nextIndexStart=this._nextIndexStart,s.nextVertexStart=this._nextVertexStart,s.geometryCount=this._geometryCount,s.maxInstanceCount=this._maxInstanceCount,s.maxVertexCount=this._maxVertexCount,s.maxIndexCount=this._maxIndexCount,s.geometryInitialized=this._geometryInitialized,s.matricesTexture=this._matricesTexture.toJSON(e),s.indirectTexture=this._indirectTexture.toJSON(e),this._colorsTexture!==null&&(s.colorsTexture=this._colorsTexture.toJSON(e)),this.boundingSphere!==null&&(s.boundingSphere=this.boundingSphere.toJSON()),this.boundingBox!==null&&(s.boundingBox=this.boundingBox.toJSON()));function r(a,l){return a[l.uuid]===void 0&&(a[l.uuid]=l.toJSON(e)),l.uuid}if(this.isScene)this.background&&(this.background.isColor?s.background=this.background.toJSON():this.background.isTexture&&(s.background=this.background.toJSON(e).uuid)),this.environment&&this.environment.isTexture&&this.environment.isRenderTargetTexture!==!0&&(s.environment=this.environment.toJSON(e).uuid);else if(this.isMesh||this.isLine||this.isPoints){s.geometry=r(e.geometries,this.geometry);let a=this.geometry.parameters;if(a!==void 0&&a.shapes!==void 0){let l=a.shapes;if(Array.isArray(l))for(let c=0,h=l.length;c<h;c++){let u=l[c];r(e.shapes,u)}else r(e.shapes,l)}}if(this.isSkinnedMesh&&(s.bindMode=this.bindMode,s.bindMatrix=this.bindMatrix.toArray(),this.skeleton!==void 0&&(r(e.skeletons,this.skeleton),s.skeleton=this.skeleton.uuid)),this.material!==void 0)if(Array.isArray(this.material)){let a=[];for(let l=0,c=this.material.length;l<c;l++)a.push(r(e.materials,this.material[l]));s.material=a}else s.material=r(e.materials,this.material);if(this.children.length>0){s.children=[];for(let a=0;a<this.children.length;a++)s.children.push(this.children[a].toJSON(e).object)}if(this.animations.length>0){s.animations=[];for(let a=0;a<this.animations.length;a++){let l=this.animations[a];s.animations.push(r(e.animations,l))}}if(t){let a=o(e.geometries),l=o(e.materials),c=o(e.textures),h=o(e.images),u=o(e.shapes),f=o(e.skeletons),d=o(e.animations),p=o(e.nodes);a.length>0&&(n.geometries=a),l.length>0&&(n.materials=l),c.length>0&&(n.textures=c),h.length>0&&(n.images=h),u.length>0&&(n.shapes=u),f.length>0&&(n.skeletons=f),d.length>0&&(n.animations=d),p.length>0&&(n.nodes=p)}return n.object=s,n;function o(a){let l=[];for(let c in a){let h=a[c];delete h.metadata,l.push(h)}return l}}clone(e){return new this.constructor().copy(this,e)}copy(e,t=!0){if(this.name=e.name,this.up.copy(e.up),this.position.copy(e.position),this.rotation.order=e.rotation.order,this.quaternion.copy(e.quaternion),this.scale.copy(e.scale),this.pivot=e.pivot!==null?e.pivot.clone():null,this.matrix.copy(e.matrix),this.matrixWorld.copy(e.matrixWorld),this.matrixAutoUpdate=e.matrixAutoUpdate,this.matrixWorldAutoUpdate=e.matrixWorldAutoUpdate,this.matrixWorldNeedsUpdate=e.matrixWorldNeedsUpdate,this.layers.mask=e.layers.mask,this.visible=e.visible,this.castShadow=e.castShadow,this.receiveShadow=e.receiveShadow,this.frustumCulled=e.frustumCulled,this.renderOrder=e.renderOrder,this.static=e.static,this.animations=e.animations.slice(),this.userData=JSON.parse(JSON.stringify(e.userData)),t===!0)for(let n=0;n<e.children.length;n++){let s=e.children[n];this.add(s.clone())}return this}dispose(){this.dispatchEvent({type:"dispose"})}};Ln.DEFAULT_UP=new k(0,1,0);Ln.DEFAULT_MATRIX_AUTO_UPDATE=!0;Ln.DEFAULT_MATRIX_WORLD_AUTO_UPDATE=!0;var Ht=class extends Ln{constructor(){super(),this.isGroup=!0,this.type="Group"}},__={type:"move"},uo=class{constructor(){this._targetRay=null,this._grip=null,this._hand=null}getHandSpace(){return this._hand===null&&(this._hand=new Ht,this._hand.matrixAutoUpdate=!1,this._hand.visible=!1,this._hand.joints={},this._hand.inputState={pinching:!1}),this._hand}getTargetRaySpace(){return this._targetRay===null&&(this._targetRay=new Ht,this._targetRay.matrixAutoUpdate=!1,this._targetRay.visible=!1,this._targetRay.hasLinearVelocity=!1,this._targetRay.linearVelocity=new k,this._targetRay.hasAngularVelocity=!1,this._targetRay.angularVelocity=new k),this._targetRay}getGripSpace(){return this._grip===null&&(this._grip=new Ht,this._grip.matrixAutoUpdate=!1,this._grip.visible=!1,this._grip.hasLinearVelocity=!1,this._grip.linearVelocity=new k,this._grip.hasAngularVelocity=!1,this._grip.angularVelocity=new k,this._grip.eventsEnabled=!1),this._grip}dispatchEvent(e){return this._targetRay!==null&&this._targetRay.dispatchEvent(e),this._grip!==null&&this._grip.dispatchEvent(e),this._hand!==null&&this._hand.dispatchEvent(e),this}connect(e){if(e&&e.hand){let t=this._hand;if(t)for(let n of e.hand.values())this._getHandJoint(t,n)}return this.dispatchEvent({type:"connected",data:e}),this}disconnect(e){return this.dispatchEvent({type:"disconnected",data:e}),this._targetRay!==null&&(this._targetRay.visible=!1),this._grip!==null&&(this._grip.visible=!1),this._hand!==null&&(this._hand.visible=!1),this}update(e,t,n){let s=null,r=null,o=null,a=this._targetRay,l=this._grip,c=this._hand;if(e&&t.session.visibilityState!=="visible-blurred"){if(c&&e.hand){o=!0;for(let x of e.hand.values()){let m=t.getJointPose(x,n),g=this._getHandJoint(c,x);m!==null&&(g.matrix.fromArray(m.transform.matrix),g.matrix.decompose(g.position,g.quaternion,g.scale),g.matrixWorldNeedsUpdate=!0,g.jointRadius=m.radius),g.visible=m!==null}let h=c.joints["index-finger-tip"],u=c.joints["thumb-tip"],f=h.position.distanceTo(u.position),d=.02,p=.005;c.inputState.pinching&&f>d+p?(c.inputState.pinching=!1,this.dispatchEvent({type:"pinchend",handedness:e.handedness,target:this})):!c.inputState.pinching&&f<=d-p&&(c.inputState.pinching=!0,this.dispatchEvent({type:"pinchstart",handedness:e.handedness,target:this}))}else l!==null&&e.gripSpace&&(r=t.getPose(e.gripSpace,n),r!==null&&(l.matrix.fromArray(r.transform.matrix),l.matrix.decompose(l.position,l.quaternion,l.scale),l.matrixWorldNeedsUpdate=!0,r.linearVelocity?(l.hasLinearVelocity=!0,l.linearVelocity.copy(r.linearVelocity)):l.hasLinearVelocity=!1,r.angularVelocity?(l.hasAngularVelocity=!0,l.angularVelocity.copy(r.angularVelocity)):l.hasAngularVelocity=!1,l.eventsEnabled&&l.dispatchEvent({type:"gripUpdated",data:e,target:this})));a!==null&&(s=t.getPose(e.targetRaySpace,n),s===null&&r!==null&&(s=r),s!==null&&(a.matrix.fromArray(s.transform.matrix),a.matrix.decompose(a.position,a.quaternion,a.scale),a.matrixWorldNeedsUpdate=!0,s.linearVelocity?(a.hasLinearVelocity=!0,a.linearVelocity.copy(s.linearVelocity)):a.hasLinearVelocity=!1,s.angularVelocity?(a.hasAngularVelocity=!0,a.angularVelocity.copy(s.angularVelocity)):a.hasAngularVelocity=!1,this.dispatchEvent(__)))}return a!==null&&(a.visible=s!==null),l!==null&&(l.visible=r!==null),c!==null&&(c.visible=o!==null),this}_getHandJoint(e,t){if(e.joints[t.jointName]===void 0){let n=new Ht;n.matrixAutoUpdate=!1,n.visible=!1,e.joints[t.jointName]=n,e.add(n)}return e.joints[t.jointName]}},Mm={aliceblue:15792383,antiquewhite:16444375,aqua:65535,aquamarine:8388564,azure:15794175,beige:16119260,bisque:16770244,black:0,blanchedalmond:16772045,blue:255,blueviolet:9055202,brown:10824234,burlywood:14596231,cadetblue:6266528,chartreuse:8388352,chocolate:13789470,coral:16744272,cornflowerblue:6591981,cornsilk:16775388,crimson:14423100,cyan:65535,darkblue:139,darkcyan:35723,darkgoldenrod:12092939,darkgray:11119017,darkgreen:25600,darkgrey:11119017,darkkhaki:12433259,darkmagenta:9109643,darkolivegreen:5597999,darkorange:16747520,darkorchid:10040012,darkred:9109504,darksalmon:15308410,darkseagreen:9419919,darkslateblue:4734347,darkslategray:3100495,darkslategrey:3100495,darkturquoise:52945,darkviolet:9699539,deeppink:16716947,deepskyblue:49151,dimgray:6908265,dimgrey:6908265,dodgerblue:2003199,firebrick:11674146,floralwhite:16775920,forestgreen:2263842,fuchsia:16711935,gainsboro:14474460,ghostwhite:16316671,gold:16766720,goldenrod:14329120,gray:8421504,green:32768,greenyellow:11403055,grey:8421504,honeydew:15794160,hotpink:16738740,indianred:13458524,indigo:4915330,ivory:16777200,khaki:15787660,lavender:15132410,lavenderblush:16773365,lawngreen:8190976,lemonchiffon:16775885,lightblue:11393254,lightcoral:15761536,lightcyan:14745599,lightgoldenrodyellow:16448210,lightgray:13882323,lightgreen:9498256,lightgrey:13882323,lightpink:16758465,lightsalmon:16752762,lightseagreen:2142890,lightskyblue:8900346,lightslategray:7833753,lightslategrey:7833753,lightsteelblue:11584734,lightyellow:16777184,lime:65280,limegreen:3329330,linen:16445670,magenta:16711935,maroon:8388608,mediumaquamarine:6737322,mediumblue:205,mediumorchid:12211667,mediumpurple:9662683,mediumseagreen:3978097,mediumslateblue:8087790,mediumspringgreen:64154,mediumturquoise:4772300,mediumvioletred:13047173,midnightblue:1644912,mintcream:16121850,mistyrose:16770273,moccasin:16770229,navajowhite:16768685,navy:128,oldlace:16643558,olive:8421376,olivedrab:7048739,orange:16753920,orangered:16729344,orchid:14315734,palegoldenrod:15657130,palegreen:10025880,paleturquoise:11529966,palevioletred:14381203,papayawhip:16773077,peachpuff:16767673,peru:13468991,pink:16761035,plum:14524637,powderblue:11591910,purple:8388736,rebeccapurple:6697881,red:16711680,rosybrown:12357519,royalblue:4286945,saddlebrown:9127187,salmon:16416882,sandybrown:16032864,seagreen:3050327,seashell:16774638,sienna:10506797,silver:12632256,skyblue:8900331,slateblue:6970061,slategray:7372944,slategrey:7372944,snow:16775930,springgreen:65407,steelblue:4620980,tan:13808780,teal:32896,thistle:14204888,tomato:16737095,turquoise:4251856,violet:15631086,wheat:16113331,white:16777215,whitesmoke:16119285,yellow:16776960,yellowgreen:10145074},Os={h:0,s:0,l:0},xl={h:0,s:0,l:0};function au(i,e,t){return t<0&&(t+=1),t>1&&(t-=1),t<1/6?i+(e-i)*6*t:t<1/2?e:t<2/3?i+(e-i)*6*(2/3-t):i}var Ve=class{constructor(e,t,n){return this.isColor=!0,this.r=1,this.g=1,this.b=1,this.set(e,t,n)}set(e,t,n){if(t===void 0&&n===void 0){let s=e;s&&s.isColor?this.copy(s):typeof s=="number"?this.setHex(s):typeof s=="string"&&this.setStyle(s)}else this.setRGB(e,t,n);return this}setScalar(e){return this.r=e,this.g=e,this.b=e,this}setHex(e,t=Wn){return e=Math.floor(e),this.r=(e>>16&255)/255,this.g=(e>>8&255)/255,this.b=(e&255)/255,Tt.colorSpaceToWorking(this,t),this}setRGB(e,t,n,s=Tt.workingColorSpace){return this.r=e,this.g=t,this.b=n,Tt.colorSpaceToWorking(this,s),this}setHSL(e,t,n,s=Tt.workingColorSpace){if(e=hf(e,1),t=vt(t,0,1),n=vt(n,0,1),t===0)this.r=this.g=this.b=n;else{let r=n<=.5?n*(1+t):n+t-n*t,o=2*n-r;this.r=au(o,r,e+1/3),this.g=au(o,r,e),this.b=au(o,r,e-1/3)}return Tt.colorSpaceToWorking(this,s),this}setStyle(e,t=Wn){function n(r){r!==void 0&&parseFloat(r)<1&&tt("Color: Alpha component of "+e+" will be ignored.")}let s;if(s=/^(\w+)\(([^\)]*)\)/.exec(e)){let r,o=s[1],a=s[2];switch(o){case"rgb":case"rgba":if(r=/^\s*(\d+)\s*,\s*(\d+)\s*,\s*(\d+)\s*(?:,\s*(\d+(?:\.\d+)?|\.\d+)\s*)?$/.exec(a))return n(r[4]),this.setRGB(Math.min(255,parseInt(r[1],10))/255,Math.min(255,parseInt(r[2],10))/255,Math.min(255,parseInt(r[3],10))/255,t);if(r=/^\s*(\d+(?:\.\d+)?|\.\d+)\%\s*,\s*(\d+(?:\.\d+)?|\.\d+)\%\s*,\s*(\d+(?:\.\d+)?|\.\d+)\%\s*(?:,\s*(\d+(?:\.\d+)?|\.\d+)\s*)?$/.exec(a))return n(r[4]),this.setRGB(Math.min(100,parseFloat(r[1]))/100,Math.min(100,parseFloat(r[2]))/100,Math.min(100,parseFloat(r[3]))/100,t);break;case"hsl":case"hsla":if(r=/^\s*([+-]?(?:\d+(?:\.\d+)?|\.\d+))\s*,\s*(\d+(?:\.\d+)?|\.\d+)\%\s*,\s*(\d+(?:\.\d+)?|\.\d+)\%\s*(?:,\s*(\d+(?:\.\d+)?|\.\d+)\s*)?$/.exec(a))return n(r[4]),this.setHSL(parseFloat(r[1])/360,parseFloat(r[2])/100,parseFloat(r[3])/100,t);break;default:tt("Color: Unknown color model "+e)}}else if(s=/^\#([A-Fa-f\d]+)$/.exec(e)){let r=s[1],o=r.length;if(o===3)return this.setRGB(parseInt(r.charAt(0),16)/15,parseInt(r.charAt(1),16)/15,parseInt(r.charAt(2),16)/15,t);if(o===6)return this.setHex(parseInt(r,16),t);tt("Color: Invalid hex color "+e)}else if(e&&e.length>0)return this.setColorName(e,t);return this}setColorName(e,t=Wn){let n=Mm[e.toLowerCase()];return n!==void 0?this.setHex(n,t):tt("Color: Unknown color "+e),this}clone(){return new this.constructor(this.r,this.g,this.b)}copy(e){return this.r=e.r,this.g=e.g,this.b=e.b,this}copySRGBToLinear(e){return this.r=ms(e.r),this.g=ms(e.g),this.b=ms(e.b),this}copyLinearToSRGB(e){return this.r=to(e.r),this.g=to(e.g),this.b=to(e.b),this}convertSRGBToLinear(){return this.copySRGBToLinear(this),this}convertLinearToSRGB(){return this.copyLinearToSRGB(this),this}getHex(e=Wn){return Tt.workingToColorSpace(Fn.copy(this),e),Math.round(vt(Fn.r*255,0,255))*65536+Math.round(vt(Fn.g*255,0,255))*256+Math.round(vt(Fn.b*255,0,255))}getHexString(e=Wn){return("000000"+this.getHex(e).toString(16)).slice(-6)}getHSL(e,t=Tt.workingColorSpace){Tt.workingToColorSpace(Fn.copy(this),t);let n=Fn.r,s=Fn.g,r=Fn.b,o=Math.max(n,s,r),a=Math.min(n,s,r),l,c,h=(a+o)/2;if(a===o)l=0,c=0;else{let u=o-a;switch(c=h<=.5?u/(o+a):u/(2-o-a),o){case n:l=(s-r)/u+(s<r?6:0);break;case s:l=(r-n)/u+2;break;case r:l=(n-s)/u+4;break}l/=6}return e.h=l,e.s=c,e.l=h,e}getRGB(e,t=Tt.workingColorSpace){return Tt.workingToColorSpace(Fn.copy(this),t),e.r=Fn.r,e.g=Fn.g,e.b=Fn.b,e}getStyle(e=Wn){Tt.workingToColorSpace(Fn.copy(this),e);let t=Fn.r,n=Fn.g,s=Fn.b;return e!==Wn?`color(${e} ${t.toFixed(3)} ${n.toFixed(3)} ${s.toFixed(3)})`:`rgb(${Math.round(t*255)},${Math.round(n*255)},${Math.round(s*255)})`}offsetHSL(e,t,n){return this.getHSL(Os),this.setHSL(Os.h+e,Os.s+t,Os.l+n)}add(e){return this.r+=e.r,this.g+=e.g,this.b+=e.b,this}addColors(e,t){return this.r=e.r+t.r,this.g=e.g+t.g,this.b=e.b+t.b,this}addScalar(e){return this.r+=e,this.g+=e,this.b+=e,this}sub(e){return this.r=Math.max(0,this.r-e.r),this.g=Math.max(0,this.g-e.g),this.b=Math.max(0,this.b-e.b),this}multiply(e){return this.r*=e.r,this.g*=e.g,this.b*=e.b,this}multiplyScalar(e){return this.r*=e,this.g*=e,this.b*=e,this}lerp(e,t){return this.r+=(e.r-this.r)*t,this.g+=(e.g-this.g)*t,this.b+=(e.b-this.b)*t,this}lerpColors(e,t,n){return this.r=e.r+(t.r-e.r)*n,this.g=e.g+(t.g-e.g)*n,this.b=e.b+(t.b-e.b)*n,this}lerpHSL(e,t){this.getHSL(Os),e.getHSL(xl);let n=ca(Os.h,xl.h,t),s=ca(Os.s,xl.s,t),r=ca(Os.l,xl.l,t);return this.setHSL(n,s,r),this}setFromVector3(e){return this.r=e.x,this.g=e.y,this.b=e.z,this}applyMatrix3(e){let t=this.r,n=this.g,s=this.b,r=e.elements;return this.r=r[0]*t+r[3]*n+r[6]*s,this.g=r[1]*t+r[4]*n+r[7]*s,this.b=r[2]*t+r[5]*n+r[8]*s,this}equals(e){return e.r===this.r&&e.g===this.g&&e.b===this.b}fromArray(e,t=0){return this.r=e[t],this.g=e[t+1],this.b=e[t+2],this}toArray(e=[],t=0){return e[t]=this.r,e[t+1]=this.g,e[t+2]=this.b,e}fromBufferAttribute(e,t){return this.r=e.getX(t),this.g=e.getY(t),this.b=e.getZ(t),this}toJSON(){return this.getHex()}*[Symbol.iterator](){yield this.r,yield this.g,yield this.b}},Fn=new Ve;Ve.NAMES=Mm;var ys=class extends Ln{constructor(){super(),this.isScene=!0,this.type="Scene",this.background=null,this.environment=null,this.fog=null,this.backgroundBlurriness=0,this.backgroundIntensity=1,this.backgroundRotation=new _s,this.environmentIntensity=1,this.environmentRotation=new _s,this.overrideMaterial=null,typeof __THREE_DEVTOOLS__<"u"&&__THREE_DEVTOOLS__.dispatchEvent(new CustomEvent("observe",{detail:this}))}copy(e,t){return super.copy(e,t),this.background=e.background!==null?e.background.clone():null,this.environment=e.environment!==null?e.environment.clone():null,this.fog=e.fog!==null?e.fog.clone():null,this.backgroundBlurriness=e.backgroundBlurriness,this.backgroundIntensity=e.backgroundIntensity,this.backgroundRotation.copy(e.backgroundRotation),this.environmentIntensity=e.environmentIntensity,this.environmentRotation.copy(e.environmentRotation),this.overrideMaterial=e.overrideMaterial!==null?e.overrideMaterial.clone():null,this.matrixAutoUpdate=e.matrixAutoUpdate,this}toJSON(e){let t=super.toJSON(e);return this.fog!==null&&(t.object.fog=this.fog.toJSON()),t.object.backgroundBlurriness=this.backgroundBlurriness,t.object.backgroundIntensity=this.backgroundIntensity,t.object.backgroundRotation=this.backgroundRotation.toArray(),t.object.environmentIntensity=this.environmentIntensity,t.object.environmentRotation=this.environmentRotation.toArray(),t}},Ni=new k,us=new k,lu=new k,fs=new k,qr=new k,Yr=new k,up=new k,cu=new k,hu=new k,uu=new k,fu=new Qt,du=new Qt,pu=new Qt,Vs=class i{constructor(e=new k,t=new k,n=new k){this.a=e,this.b=t,this.c=n}static getNormal(e,t,n,s){s.subVectors(n,t),Ni.subVectors(e,t),s.cross(Ni);let r=s.lengthSq();return r>0?s.multiplyScalar(1/Math.sqrt(r)):s.set(0,0,0)}static getBarycoord(e,t,n,s,r){Ni.subVectors(s,t),us.subVectors(n,t),lu.subVectors(e,t);let o=Ni.dot(Ni),a=Ni.dot(us),l=Ni.dot(lu),c=us.dot(us),h=us.dot(lu),u=o*c-a*a;if(u===0)return r.set(0,0,0),null;let f=1/u,d=(c*l-a*h)*f,p=(o*h-a*l)*f;return r.set(1-d-p,p,d)}static containsPoint(e,t,n,s){return this.getBarycoord(e,t,n,s,fs)===null?!1:fs.x>=0&&fs.y>=0&&fs.x+fs.y<=1}static getInterpolation(e,t,n,s,r,o,a,l){return this.getBarycoord(e,t,n,s,fs)===null?(l.x=0,l.y=0,"z"in l&&(l.z=0),"w"in l&&(l.w=0),null):(l.setScalar(0),l.addScaledVector(r,fs.x),l.addScaledVector(o,fs.y),l.addScaledVector(a,fs.z),l)}static getInterpolatedAttribute(e,t,n,s,r,o){return fu.setScalar(0),du.setScalar(0),pu.setScalar(0),fu.fromBufferAttribute(e,t),du.fromBufferAttribute(e,n),pu.fromBufferAttribute(e,s),o.setScalar(0),o.addScaledVector(fu,r.x),o.addScaledVector(du,r.y),o.addScaledVector(pu,r.z),o}static isFrontFacing(e,t,n,s){return Ni.subVectors(n,t),us.subVectors(e,t),Ni.cross(us).dot(s)<0}set(e,t,n){return this.a.copy(e),this.b.copy(t),this.c.copy(n),this}setFromPointsAndIndices(e,t,n,s){return this.a.copy(e[t]),this.b.copy(e[n]),this.c.copy(e[s]),this}setFromAttributeAndIndices(e,t,n,s){return this.a.fromBufferAttribute(e,t),this.b.fromBufferAttribute(e,n),this.c.fromBufferAttribute(e,s),this}clone(){return new this.constructor().copy(this)}copy(e){return this.a.copy(e.a),this.b.copy(e.b),this.c.copy(e.c),this}getArea(){return Ni.subVectors(this.c,this.b),us.subVectors(this.a,this.b),Ni.cross(us).length()*.5}getMidpoint(e){return e.addVectors(this.a,this.b).add(this.c).multiplyScalar(1/3)}getNormal(e){return i.getNormal(this.a,this.b,this.c,e)}getPlane(e){return e.setFromCoplanarPoints(this.a,this.b,this.c)}getBarycoord(e,t){return i.getBarycoord(e,this.a,this.b,this.c,t)}getInterpolation(e,t,n,s,r){return i.getInterpolation(e,this.a,this.b,this.c,t,n,s,r)}containsPoint(e){return i.containsPoint(e,this.a,this.b,this.c)}isFrontFacing(e){return i.isFrontFacing(this.a,this.b,this.c,e)}intersectsBox(e){return e.intersectsTriangle(this)}closestPointToPoint(e,t){let n=this.a,s=this.b,r=this.c,o,a;qr.subVectors(s,n),Yr.subVectors(r,n),cu.subVectors(e,n);let l=qr.dot(cu),c=Yr.dot(cu);if(l<=0&&c<=0)return t.copy(n);hu.subVectors(e,s);let h=qr.dot(hu),u=Yr.dot(hu);if(h>=0&&u<=h)return t.copy(s);let f=l*u-h*c;if(f<=0&&l>=0&&h<=0&&l-h>0)return o=l/(l-h),t.copy(n).addScaledVector(qr,o);uu.subVectors(e,r);let d=qr.dot(uu),p=Yr.dot(uu);if(p>=0&&d<=p)return t.copy(r);let x=d*c-l*p;if(x<=0&&c>=0&&p<=0)return a=c/(c-p),t.copy(n).addScaledVector(Yr,a);let m=h*p-d*u;if(m<=0&&u-h>=0&&d-p>=0)return up.subVectors(r,s),a=(u-h)/(u-h+(d-p)),t.copy(s).addScaledVector(up,a);let g=1/(m+x+f);return o=x*g,a=f*g,t.copy(n).addScaledVector(qr,o).addScaledVector(Yr,a)}equals(e){return e.a.equals(this.a)&&e.b.equals(this.b)&&e.c.equals(this.c)}},vi=class{constructor(e=new k(1/0,1/0,1/0),t=new k(-1/0,-1/0,-1/0)){this.isBox3=!0,this.min=e,this.max=t}set(e,t){return this.min.copy(e),this.max.copy(t),this}setFromArray(e){this.makeEmpty();for(let t=0,n=e.length;t<n;t+=3)this.expandByPoint(Di.fromArray(e,t));return this}setFromBufferAttribute(e){this.makeEmpty();for(let t=0,n=e.count;t<n;t++)this.expandByPoint(Di.fromBufferAttribute(e,t));return this}setFromPoints(e){this.makeEmpty();for(let t=0,n=e.length;t<n;t++)this.expandByPoint(e[t]);return this}setFromCenterAndSize(e,t){let n=Di.copy(t).multiplyScalar(.5);return this.min.copy(e).sub(n),this.max.copy(e).add(n),this}setFromObject(e,t=!1){return this.makeEmpty(),this.expandByObject(e,t)}clone(){return new this.constructor().copy(this)}copy(e){return this.min.copy(e.min),this.max.copy(e.max),this}makeEmpty(){return this.min.x=this.min.y=this.min.z=1/0,this.max.x=this.max.y=this.max.z=-1/0,this}isEmpty(){return this.max.x<this.min.x||this.max.y<this.min.y||this.max.z<this.min.z}getCenter(e){return this.isEmpty()?e.set(0,0,0):e.addVectors(this.min,this.max).multiplyScalar(.5)}getSize(e){return this.isEmpty()?e.set(0,0,0):e.subVectors(this.max,this.min)}expandByPoint(e){return this.min.min(e),this.max.max(e),this}expandByVector(e){return this.min.sub(e),this.max.add(e),this}expandByScalar(e){return this.min.addScalar(-e),this.max.addScalar(e),this}expandByObject(e,t=!1){e.updateWorldMatrix(!1,!1);let n=e.geometry;if(n!==void 0){let r=n.getAttribute("position");if(t===!0&&r!==void 0&&e.isInstancedMesh!==!0&&e.isBatchedMesh!==!0)for(let o=0,a=r.count;o<a;o++)e.isMesh===!0?e.getVertexPosition(o,Di):Di.fromBufferAttribute(r,o),Di.applyMatrix4(e.matrixWorld),this.expandByPoint(Di);else e.boundingBox!==void 0?(e.boundingBox===null&&e.computeBoundingBox(),_l.copy(e.boundingBox)):(n.boundingBox===null&&n.computeBoundingBox(),_l.copy(n.boundingBox)),_l.applyMatrix4(e.matrixWorld),this.union(_l)}let s=e.children;for(let r=0,o=s.length;r<o;r++)this.expandByObject(s[r],t);return this}containsPoint(e){return e.x>=this.min.x&&e.x<=this.max.x&&e.y>=this.min.y&&e.y<=this.max.y&&e.z>=this.min.z&&e.z<=this.max.z}containsBox(e){return this.min.x<=e.min.x&&e.max.x<=this.max.x&&this.min.y<=e.min.y&&e.max.y<=this.max.y&&this.min.z<=e.min.z&&e.max.z<=this.max.z}getParameter(e,t){return t.set((e.x-this.min.x)/(this.max.x-this.min.x),(e.y-this.min.y)/(this.max.y-this.min.y),(e.z-this.min.z)/(this.max.z-this.min.z))}intersectsBox(e){return e.max.x>=this.min.x&&e.min.x<=this.max.x&&e.max.y>=this.min.y&&e.min.y<=this.max.y&&e.max.z>=this.min.z&&e.min.z<=this.max.z}intersectsSphere(e){return this.clampPoint(e.center,Di),Di.distanceToSquared(e.center)<=e.radius*e.radius}intersectsPlane(e){let t,n;return e.normal.x>0?(t=e.normal.x*this.min.x,n=e.normal.x*this.max.x):(t=e.normal.x*this.max.x,n=e.normal.x*this.min.x),e.normal.y>0?(t+=e.normal.y*this.min.y,n+=e.normal.y*this.max.y):(t+=e.normal.y*this.max.y,n+=e.normal.y*this.min.y),e.normal.z>0?(t+=e.normal.z*this.min.z,n+=e.normal.z*this.max.z):(t+=e.normal.z*this.max.z,n+=e.normal.z*this.min.z),t<=-e.constant&&n>=-e.constant}intersectsTriangle(e){if(this.isEmpty())return!1;this.getCenter(Qo),yl.subVectors(this.max,Qo),$r.subVectors(e.a,Qo),Zr.subVectors(e.b,Qo),Jr.subVectors(e.c,Qo),Bs.subVectors(Zr,$r),zs.subVectors(Jr,Zr),rr.subVectors($r,Jr);let t=[0,-Bs.z,Bs.y,0,-zs.z,zs.y,0,-rr.z,rr.y,Bs.z,0,-Bs.x,zs.z,0,-zs.x,rr.z,0,-rr.x,-Bs.y,Bs.x,0,-zs.y,zs.x,0,-rr.y,rr.x,0];return!mu(t,$r,Zr,Jr,yl)||(t=[1,0,0,0,1,0,0,0,1],!mu(t,$r,Zr,Jr,yl))?!1:(vl.crossVectors(Bs,zs),t=[vl.x,vl.y,vl.z],mu(t,$r,Zr,Jr,yl))}clampPoint(e,t){return t.copy(e).clamp(this.min,this.max)}distanceToPoint(e){return this.clampPoint(e,Di).distanceTo(e)}getBoundingSphere(e){return this.isEmpty()?e.makeEmpty():(this.getCenter(e.center),e.radius=this.getSize(Di).length()*.5),e}intersect(e){return this.min.max(e.min),this.max.min(e.max),this.isEmpty()&&this.makeEmpty(),this}union(e){return this.min.min(e.min),this.max.max(e.max),this}applyMatrix4(e){return this.isEmpty()?this:(ds[0].set(this.min.x,this.min.y,this.min.z).applyMatrix4(e),ds[1].set(this.min.x,this.min.y,this.max.z).applyMatrix4(e),ds[2].set(this.min.x,this.max.y,this.min.z).applyMatrix4(e),ds[3].set(this.min.x,this.max.y,this.max.z).applyMatrix4(e),ds[4].set(this.max.x,this.min.y,this.min.z).applyMatrix4(e),ds[5].set(this.max.x,this.min.y,this.max.z).applyMatrix4(e),ds[6].set(this.max.x,this.max.y,this.min.z).applyMatrix4(e),ds[7].set(this.max.x,this.max.y,this.max.z).applyMatrix4(e),this.setFromPoints(ds),this)}translate(e){return this.min.add(e),this.max.add(e),this}equals(e){return e.min.equals(this.min)&&e.max.equals(this.max)}toJSON(){return{min:this.min.toArray(),max:this.max.toArray()}}fromJSON(e){return this.min.fromArray(e.min),this.max.fromArray(e.max),this}},ds=[new k,new k,new k,new k,new k,new k,new k,new k],Di=new k,_l=new vi,$r=new k,Zr=new k,Jr=new k,Bs=new k,zs=new k,rr=new k,Qo=new k,yl=new k,vl=new k,or=new k;function mu(i,e,t,n,s){for(let r=0,o=i.length-3;r<=o;r+=3){or.fromArray(i,r);let a=s.x*Math.abs(or.x)+s.y*Math.abs(or.y)+s.z*Math.abs(or.z),l=e.dot(or),c=t.dot(or),h=n.dot(or);if(Math.max(-Math.max(l,c,h),Math.min(l,c,h))>a)return!1}return!0}var dn=new k,Ml=new Ee,y_=0,Ot=class extends Ji{constructor(e,t,n=!1){if(super(),Array.isArray(e))throw new TypeError("THREE.BufferAttribute: array should be a Typed Array.");this.isBufferAttribute=!0,Object.defineProperty(this,"id",{value:y_++}),this.name="",this.array=e,this.itemSize=t,this.count=e!==void 0?e.length/t:0,this.normalized=n,this.usage=pm,this.updateRanges=[],this.gpuType=wi,this.version=0,this._normalizationScale=e!==void 0?ff(e):void 0}onUploadCallback(){}set needsUpdate(e){e===!0&&this.version++}setUsage(e){return this.usage=e,this}addUpdateRange(e,t){this.updateRanges.push({start:e,count:t})}clearUpdateRanges(){this.updateRanges.length=0}copy(e){return this.name=e.name,this.array=new e.array.constructor(e.array),this.itemSize=e.itemSize,this.count=e.count,this.normalized=e.normalized,this.usage=e.usage,this.gpuType=e.gpuType,this._normalizationScale=e._normalizationScale,this}copyAt(e,t,n){e*=this.itemSize,n*=t.itemSize;for(let s=0,r=this.itemSize;s<r;s++)this.array[e+s]=t.array[n+s];return this}copyArray(e){return this.array.set(e),this}applyMatrix3(e){if(this.itemSize===2)for(let t=0,n=this.count;t<n;t++)Ml.fromBufferAttribute(this,t),Ml.applyMatrix3(e),this.setXY(t,Ml.x,Ml.y);else if(this.itemSize===3)for(let t=0,n=this.count;t<n;t++)dn.fromBufferAttribute(this,t),dn.applyMatrix3(e),this.setXYZ(t,dn.x,dn.y,dn.z);return this}applyMatrix4(e){for(let t=0,n=this.count;t<n;t++)dn.fromBufferAttribute(this,t),dn.applyMatrix4(e),this.setXYZ(t,dn.x,dn.y,dn.z);return this}applyNormalMatrix(e){for(let t=0,n=this.count;t<n;t++)dn.fromBufferAttribute(this,t),dn.applyNormalMatrix(e),this.setXYZ(t,dn.x,dn.y,dn.z);return this}transformDirection(e){for(let t=0,n=this.count;t<n;t++)dn.fromBufferAttribute(this,t),dn.transformDirection(e),this.setXYZ(t,dn.x,dn.y,dn.z);return this}set(e,t=0){return this.array.set(e,t),this}getComponent(e,t){let n=this.array[e*this.itemSize+t];return this.normalized&&(n=this._denormalize(n)),n}setComponent(e,t,n){return this.normalized&&(n=this._normalize(n)),this.array[e*this.itemSize+t]=n,this}getX(e){let t=this.array[e*this.itemSize];return this.normalized&&(t=this._denormalize(t)),t}setX(e,t){return this.normalized&&(t=this._normalize(t)),this.array[e*this.itemSize]=t,this}getY(e){let t=this.array[e*this.itemSize+1];return this.normalized&&(t=this._denormalize(t)),t}setY(e,t){return this.normalized&&(t=this._normalize(t)),this.array[e*this.itemSize+1]=t,this}getZ(e){let t=this.array[e*this.itemSize+2];return this.normalized&&(t=this._denormalize(t)),t}setZ(e,t){return this.normalized&&(t=this._normalize(t)),this.array[e*this.itemSize+2]=t,this}getW(e){let t=this.array[e*this.itemSize+3];return this.normalized&&(t=this._denormalize(t)),t}setW(e,t){return this.normalized&&(t=this._normalize(t)),this.array[e*this.itemSize+3]=t,this}setXY(e,t,n){return e*=this.itemSize,this.normalized&&(t=this._normalize(t),n=this._normalize(n)),this.array[e+0]=t,this.array[e+1]=n,this}setXYZ(e,t,n,s){return e*=this.itemSize,this.normalized&&(t=this._normalize(t),n=this._normalize(n),s=this._normalize(s)),this.array[e+0]=t,this.array[e+1]=n,this.array[e+2]=s,this}setXYZW(e,t,n,s,r){return e*=this.itemSize,this.normalized&&(t=this._normalize(t),n=this._normalize(n),s=this._normalize(s),r=this._normalize(r)),this.array[e+0]=t,this.array[e+1]=n,this.array[e+2]=s,this.array[e+3]=r,this}onUpload(e){return this.onUploadCallback=e,this}clone(){return new this.constructor(this.array,this.itemSize).copy(this)}toJSON(){let e={itemSize:this.itemSize,type:this.array.constructor.name,array:Array.from(this.array),normalized:this.normalized};return e.name=this.name,e.usage=this.usage,e.gpuType=this.gpuType,e}dispose(){this.dispatchEvent({type:"dispose"})}_denormalize(e){let t=this._normalizationScale;return t!==void 0?Math.max(e/t,-1):ym(e,this.array)}_normalize(e){let t=this._normalizationScale;return t!==void 0?Math.round(e*t):vm(e,this.array)}};var ga=class extends Ot{constructor(e,t,n){super(new Uint16Array(e),t,n)}};var xa=class extends Ot{constructor(e,t,n){super(new Uint32Array(e),t,n)}};var Lt=class extends Ot{constructor(e,t,n){super(new Float32Array(e),t,n)}},v_=new vi,ea=new k,gu=new k,vs=class{constructor(e=new k,t=-1){this.isSphere=!0,this.center=e,this.radius=t}set(e,t){return this.center.copy(e),this.radius=t,this}setFromPoints(e,t){let n=this.center;t!==void 0?n.copy(t):v_.setFromPoints(e).getCenter(n);let s=0;for(let r=0,o=e.length;r<o;r++)s=Math.max(s,n.distanceToSquared(e[r]));return this.radius=Math.sqrt(s),this}copy(e){return this.center.copy(e.center),this.radius=e.radius,this}isEmpty(){return this.radius<0}makeEmpty(){return this.center.set(0,0,0),this.radius=-1,this}containsPoint(e){return e.distanceToSquared(this.center)<=this.radius*this.radius}distanceToPoint(e){return e.distanceTo(this.center)-this.radius}intersectsSphere(e){let t=this.radius+e.radius;return e.center.distanceToSquared(this.center)<=t*t}intersectsBox(e){return e.intersectsSphere(this)}intersectsPlane(e){return Math.abs(e.distanceToPoint(this.center))<=this.radius}clampPoint(e,t){let n=this.center.distanceToSquared(e);return t.copy(e),n>this.radius*this.radius&&(t.sub(this.center).normalize(),t.multiplyScalar(this.radius).add(this.center)),t}getBoundingBox(e){return this.isEmpty()?(e.makeEmpty(),e):(e.set(this.center,this.center),e.expandByScalar(this.radius),e)}applyMatrix4(e){return this.center.applyMatrix4(e),this.radius=this.radius*e.getMaxScaleOnAxis(),this}translate(e){return this.center.add(e),this}expandByPoint(e){if(this.isEmpty())return this.center.copy(e),this.radius=0,this;ea.subVectors(e,this.center);let t=ea.lengthSq();if(t>this.radius*this.radius){let n=Math.sqrt(t),s=(n-this.radius)*.5;this.center.addScaledVector(ea,s/n),this.radius+=s}return this}union(e){return e.isEmpty()?this:this.isEmpty()?(this.copy(e),this):(this.center.equals(e.center)===!0?this.radius=Math.max(this.radius,e.radius):(gu.subVectors(e.center,this.center).setLength(e.radius),this.expandByPoint(ea.copy(e.center).add(gu)),this.expandByPoint(ea.copy(e.center).sub(gu))),this)}equals(e){return e.center.equals(this.center)&&e.radius===this.radius}clone(){return new this.constructor().copy(this)}toJSON(){return{radius:this.radius,center:this.center.toArray()}}fromJSON(e){return this.radius=e.radius,this.center.fromArray(e.center),this}},M_=0,gi=new Rt,xu=new Ln,Kr=new k,ni=new vi,ta=new vi,En=new k,Jt=class i extends Ji{constructor(){super(),this.isBufferGeometry=!0,Object.defineProperty(this,"id",{value:M_++}),this.uuid=Ks(),this.name="",this.type="BufferGeometry",this.index=null,this.indirect=null,this.indirectOffset=0,this.attributes={},this.morphAttributes={},this.morphTargetsRelative=!1,this.groups=[],this.boundingBox=null,this.boundingSphere=null,this.drawRange={start:0,count:1/0},this.userData={},this._transformed=!1}getIndex(){return this.index}setIndex(e){return Array.isArray(e)?this.index=new(qx(e)?xa:ga)(e,1):this.index=e,this}setIndirect(e,t=0){return this.indirect=e,this.indirectOffset=t,this}getIndirect(){return this.indirect}getAttribute(e){return this.attributes[e]}setAttribute(e,t){return this.attributes[e]=t,this}deleteAttribute(e){return delete this.attributes[e],this}hasAttribute(e){return this.attributes[e]!==void 0}addGroup(e,t,n=0){this.groups.push({start:e,count:t,materialIndex:n})}clearGroups(){this.groups=[]}setDrawRange(e,t){this.drawRange.start=e,this.drawRange.count=t}applyMatrix4(e){let t=this.attributes.position;t!==void 0&&(t.applyMatrix4(e),t.needsUpdate=!0);let n=this.attributes.normal;if(n!==void 0){let r=new dt().getNormalMatrix(e);n.applyNormalMatrix(r),n.needsUpdate=!0}let s=this.attributes.tangent;return s!==void 0&&(s.transformDirection(e),s.needsUpdate=!0),this.boundingBox!==null&&this.computeBoundingBox(),this.boundingSphere!==null&&this.computeBoundingSphere(),this._transformed=!0,this}applyQuaternion(e){return gi.makeRotationFromQuaternion(e),this.applyMatrix4(gi),this}rotateX(e){return gi.makeRotationX(e),this.applyMatrix4(gi),this}rotateY(e){return gi.makeRotationY(e),this.applyMatrix4(gi),this}rotateZ(e){return gi.makeRotationZ(e),this.applyMatrix4(gi),this}translate(e,t,n){return gi.makeTranslation(e,t,n),this.applyMatrix4(gi),this}scale(e,t,n){return gi.makeScale(e,t,n),this.applyMatrix4(gi),this}lookAt(e){return xu.lookAt(e),xu.updateMatrix(),this.applyMatrix4(xu.matrix),this}center(){return this.computeBoundingBox(),this.boundingBox.getCenter(Kr).negate(),this.translate(Kr.x,Kr.y,Kr.z),this}setFromPoints(e){let t=this.getAttribute("position");if(t===void 0){let n=[];for(let s=0,r=e.length;s<r;s++){let o=e[s];n.push(o.x,o.y,o.z||0)}this.setAttribute("position",new Lt(n,3))}else{let n=Math.min(e.length,t.count);for(let s=0;s<n;s++){let r=e[s];t.setXYZ(s,r.x,r.y,r.z||0)}e.length>t.count&&tt("BufferGeometry: Buffer size too small for points data. Use .dispose() and create a new geometry."),t.needsUpdate=!0}return this}computeBoundingBox(){this.boundingBox===null&&(this.boundingBox=new vi);let e=this.attributes.position,t=this.morphAttributes.position;if(e&&e.isGLBufferAttribute){at("BufferGeometry.computeBoundingBox(): GLBufferAttribute requires a manual bounding box.",this),this.boundingBox.set(new k(-1/0,-1/0,-1/0),new k(1/0,1/0,1/0));return}if(e!==void 0){if(this.boundingBox.setFromBufferAttribute(e),t)for(let n=0,s=t.length;n<s;n++){let r=t[n];ni.setFromBufferAttribute(r),this.morphTargetsRelative?(En.addVectors(this.boundingBox.min,ni.min),this.boundingBox.expandByPoint(En),En.addVectors(this.boundingBox.max,ni.max),this.boundingBox.expandByPoint(En)):(this.boundingBox.expandByPoint(ni.min),this.boundingBox.expandByPoint(ni.max))}}else this.boundingBox.makeEmpty();(isNaN(this.boundingBox.min.x)||isNaN(this.boundingBox.min.y)||isNaN(this.boundingBox.min.z))&&at('BufferGeometry.computeBoundingBox(): Computed min/max have NaN values. The "position" attribute is likely to have NaN values.',this)}computeBoundingSphere(){this.boundingSphere===null&&(this.boundingSphere=new vs);let e=this.attributes.position,t=this.morphAttributes.position;if(e&&e.isGLBufferAttribute){at("BufferGeometry.computeBoundingSphere(): GLBufferAttribute requires a manual bounding sphere.",this),this.boundingSphere.set(new k,1/0);return}if(e){let n=this.boundingSphere.center;if(ni.setFromBufferAttribute(e),t)for(let r=0,o=t.length;r<o;r++){let a=t[r];ta.setFromBufferAttribute(a),this.morphTargetsRelative?(En.addVectors(ni.min,ta.min),ni.expandByPoint(En),En.addVectors(ni.max,ta.max),ni.expandByPoint(En)):(ni.expandByPoint(ta.min),ni.expandByPoint(ta.max))}ni.getCenter(n);let s=0;for(let r=0,o=e.count;r<o;r++)En.fromBufferAttribute(e,r),s=Math.max(s,n.distanceToSquared(En));if(t)for(let r=0,o=t.length;r<o;r++){let a=t[r],l=this.morphTargetsRelative;for(let c=0,h=a.count;c<h;c++)En.fromBufferAttribute(a,c),l&&(Kr.fromBufferAttribute(e,c),En.add(Kr)),s=Math.max(s,n.distanceToSquared(En))}this.boundingSphere.radius=Math.sqrt(s),isNaN(this.boundingSphere.radius)&&at('BufferGeometry.computeBoundingSphere(): Computed radius is NaN. The "position" attribute is likely to have NaN values.',this)}}computeTangents(){let e=this.index,t=this.attributes;if(e===null||t.position===void 0||t.normal===void 0||t.uv===void 0){at("BufferGeometry: .computeTangents() failed. Missing required attributes (index, position, normal or uv)");return}let n=t.position,s=t.normal,r=t.uv,o=this.getAttribute("tangent");(o===void 0||o.count!==n.count)&&(o=new Ot(new Float32Array(4*n.count),4),this.setAttribute("tangent",o));let a=[],l=[],c=new Uint8Array(n.count);for(let U=0;U<n.count;U++)a[U]=new k,l[U]=new k;let h=new k,u=new k,f=new k,d=new Ee,p=new Ee,x=new Ee,m=new k,g=new k;function v(U,I,P){c[U]=c[I]=c[P]=1,h.fromBufferAttribute(n,U),u.fromBufferAttribute(n,I),f.fromBufferAttribute(n,P),d.fromBufferAttribute(r,U),p.fromBufferAttribute(r,I),x.fromBufferAttribute(r,P),u.sub(h),f.sub(h),p.sub(d),x.sub(d);let z=1/(p.x*x.y-x.x*p.y);isFinite(z)&&(m.copy(u).multiplyScalar(x.y).addScaledVector(f,-p.y).multiplyScalar(z),g.copy(f).multiplyScalar(p.x).addScaledVector(u,-x.x).multiplyScalar(z),a[U].add(m),a[I].add(m),a[P].add(m),l[U].add(g),l[I].add(g),l[P].add(g))}let E=this.groups;E.length===0&&(E=[{start:0,count:e.count}]);for(let U=0,I=E.length;U<I;++U){let P=E[U],z=P.start,V=P.count;for(let N=z,B=z+V;N<B;N+=3)v(e.getX(N+0),e.getX(N+1),e.getX(N+2))}let _=new k,R=new k,A=new k,y=new k;function b(U){A.fromBufferAttribute(s,U),y.copy(A);let I=a[U];_.copy(I),_.sub(A.multiplyScalar(A.dot(I))).normalize(),R.crossVectors(y,I);let z=R.dot(l[U])<0?-1:1;o.setXYZW(U,_.x,_.y,_.z,z)}for(let U=0,I=n.count;U<I;++U)c[U]&&b(U);this._transformed=!0}computeVertexNormals(){let e=this.index,t=this.getAttribute("position");if(t!==void 0){let n=this.getAttribute("normal");if(n===void 0||n.count!==t.count)n=new Ot(new Float32Array(t.count*3),3),this.setAttribute("normal",n);else for(let f=0,d=n.count;f<d;f++)n.setXYZ(f,0,0,0);let s=new k,r=new k,o=new k,a=new k,l=new k,c=new k,h=new k,u=new k;if(e)for(let f=0,d=e.count;f<d;f+=3){let p=e.getX(f+0),x=e.getX(f+1),m=e.getX(f+2);s.fromBufferAttribute(t,p),r.fromBufferAttribute(t,x),o.fromBufferAttribute(t,m),h.subVectors(o,r),u.subVectors(s,r),h.cross(u),a.fromBufferAttribute(n,p),l.fromBufferAttribute(n,x),c.fromBufferAttribute(n,m),a.add(h),l.add(h),c.add(h),n.setXYZ(p,a.x,a.y,a.z),n.setXYZ(x,l.x,l.y,l.z),n.setXYZ(m,c.x,c.y,c.z)}else for(let f=0,d=t.count;f<d;f+=3)s.fromBufferAttribute(t,f+0),r.fromBufferAttribute(t,f+1),o.fromBufferAttribute(t,f+2),h.subVectors(o,r),u.subVectors(s,r),h.cross(u),n.setXYZ(f+0,h.x,h.y,h.z),n.setXYZ(f+1,h.x,h.y,h.z),n.setXYZ(f+2,h.x,h.y,h.z);this.normalizeNormals(),n.needsUpdate=!0}}normalizeNormals(){let e=this.attributes.normal;for(let t=0,n=e.count;t<n;t++)En.fromBufferAttribute(e,t),En.normalize(),e.setXYZ(t,En.x,En.y,En.z)}toNonIndexed(){function e(a,l){let c=a.array,h=a.itemSize,u=a.normalized,f=new c.constructor(l.length*h),d=0,p=0;for(let x=0,m=l.length;x<m;x++){a.isInterleavedBufferAttribute?d=l[x]*a.data.stride+a.offset:d=l[x]*h;for(let g=0;g<h;g++)f[p++]=c[d++]}return new Ot(f,h,u)}if(this.index===null)return tt("BufferGeometry.toNonIndexed(): BufferGeometry is already non-indexed."),this;let t=new i,n=this.index.array,s=this.attributes;for(let a in s){let l=s[a],c=e(l,n);t.setAttribute(a,c)}let r=this.morphAttributes;for(let a in r){let l=[],c=r[a];for(let h=0,u=c.length;h<u;h++){let f=c[h],d=e(f,n);l.push(d)}t.morphAttributes[a]=l}t.morphTargetsRelative=this.morphTargetsRelative;let o=this.groups;for(let a=0,l=o.length;a<l;a++){let c=o[a];t.addGroup(c.start,c.count,c.materialIndex)}return t}toJSON(){let e={metadata:{version:4.7,type:"BufferGeometry",generator:"BufferGeometry.toJSON"}};if(e.uuid=this.uuid,e.type=this.parameters!==void 0&&this._transformed===!0?"BufferGeometry":this.type,e.name=this.name,Object.keys(this.userData).length>0&&(e.userData=this.userData),this.parameters!==void 0&&this._transformed!==!0){let l=this.parameters;for(let c in l)l[c]!==void 0&&(e[c]=l[c]);return e}e.data={attributes:{}};let t=this.index;t!==null&&(e.data.index={type:t.array.constructor.name,array:Array.prototype.slice.call(t.array)});let n=this.attributes;for(let l in n){let c=n[l];e.data.attributes[l]=c.toJSON(e.data)}let s={},r=!1;for(let l in this.morphAttributes){let c=this.morphAttributes[l],h=[];for(let u=0,f=c.length;u<f;u++){let d=c[u];h.push(d.toJSON(e.data))}h.length>0&&(s[l]=h,r=!0)}r&&(e.data.morphAttributes=s,e.data.morphTargetsRelative=this.morphTargetsRelative);let o=this.groups;o.length>0&&(e.data.groups=JSON.parse(JSON.stringify(o)));let a=this.boundingSphere;return a!==null&&(e.data.boundingSphere=a.toJSON()),e}clone(){return new this.constructor().copy(this)}copy(e){this.index=null,this.attributes={},this.morphAttributes={},this.groups=[],this.boundingBox=null,this.boundingSphere=null;let t={};this.name=e.name;let n=e.index;n!==null&&this.setIndex(n.clone());let s=e.attributes;for(let c in s){let h=s[c];this.setAttribute(c,h.clone(t))}let r=e.morphAttributes;for(let c in r){let h=[],u=r[c];for(let f=0,d=u.length;f<d;f++)h.push(u[f].clone(t));this.morphAttributes[c]=h}this.morphTargetsRelative=e.morphTargetsRelative;let o=e.groups;for(let c=0,h=o.length;c<h;c++){let u=o[c];this.addGroup(u.start,u.count,u.materialIndex)}let a=e.boundingBox;a!==null&&(this.boundingBox=a.clone());let l=e.boundingSphere;return l!==null&&(this.boundingSphere=l.clone()),this.drawRange.start=e.drawRange.start,this.drawRange.count=e.drawRange.count,this.userData=e.userData,this._transformed=e._transformed,this}dispose(){this.dispatchEvent({type:"dispose"})}};var _u=new k,S_=new k,b_=new dt,ii=class{constructor(e=new k(1,0,0),t=0){this.isPlane=!0,this.normal=e,this.constant=t}set(e,t){return this.normal.copy(e),this.constant=t,this}setComponents(e,t,n,s){return this.normal.set(e,t,n),this.constant=s,this}setFromNormalAndCoplanarPoint(e,t){return this.normal.copy(e),this.constant=-t.dot(this.normal),this}setFromCoplanarPoints(e,t,n){let s=_u.subVectors(n,t).cross(S_.subVectors(e,t)).normalize();return this.setFromNormalAndCoplanarPoint(s,e),this}copy(e){return this.normal.copy(e.normal),this.constant=e.constant,this}normalize(){let e=1/this.normal.length();return this.normal.multiplyScalar(e),this.constant*=e,this}negate(){return this.constant*=-1,this.normal.negate(),this}distanceToPoint(e){return this.normal.dot(e)+this.constant}distanceToSphere(e){return this.distanceToPoint(e.center)-e.radius}projectPoint(e,t){return t.copy(e).addScaledVector(this.normal,-this.distanceToPoint(e))}intersectLine(e,t,n=!0){let s=e.delta(_u),r=this.normal.dot(s);if(r===0)return this.distanceToPoint(e.start)===0?t.copy(e.start):null;let o=-(e.start.dot(this.normal)+this.constant)/r;return n===!0&&(o<0||o>1)?null:t.copy(e.start).addScaledVector(s,o)}intersectsLine(e){let t=this.distanceToPoint(e.start),n=this.distanceToPoint(e.end);return t<0&&n>0||n<0&&t>0}intersectsBox(e){return e.intersectsPlane(this)}intersectsSphere(e){return e.intersectsPlane(this)}coplanarPoint(e){return e.copy(this.normal).multiplyScalar(-this.constant)}applyMatrix4(e,t){let n=t||b_.getNormalMatrix(e),s=this.coplanarPoint(_u).applyMatrix4(e),r=this.normal.applyMatrix3(n).normalize();return this.constant=-s.dot(r),this}translate(e){return this.constant-=e.dot(this.normal),this}equals(e){return e.normal.equals(this.normal)&&e.constant===this.constant}clone(){return new this.constructor().copy(this)}toJSON(){return{normal:this.normal.toArray(),constant:this.constant}}fromJSON(e){return this.normal.fromArray(e.normal),this.constant=e.constant,this}},w_=0,Ms=class extends Ji{constructor(){super(),this.isMaterial=!0,Object.defineProperty(this,"id",{value:w_++}),this.uuid=Ks(),this.name="",this.type="Material",this.blending=wo,this.side=Zs,this.vertexColors=!1,this.opacity=1,this.transparent=!1,this.alphaHash=!1,this.blendSrc=Vu,this.blendDst=Hu,this.blendEquation=xr,this.blendSrcAlpha=null,this.blendDstAlpha=null,this.blendEquationAlpha=null,this.blendColor=new Ve(0,0,0),this.blendAlpha=0,this.depthFunc=no,this.depthTest=!0,this.depthWrite=!0,this.stencilWriteMask=255,this.stencilFunc=lm,this.stencilRef=0,this.stencilFuncMask=255,this.stencilFail=kl,this.stencilZFail=kl,this.stencilZPass=kl,this.stencilWrite=!1,this.clippingPlanes=null,this.clipIntersection=!1,this.clipShadows=!1,this.shadowSide=null,this.colorWrite=!0,this.precision=null,this.polygonOffset=!1,this.polygonOffsetFactor=0,this.polygonOffsetUnits=0,this.dithering=!1,this.alphaToCoverage=!1,this.premultipliedAlpha=!1,this.forceSinglePass=!1,this.allowOverride=!0,this.visible=!0,this.toneMapped=!0,this.userData={},this.version=0,this._alphaTest=0}get alphaTest(){return this._alphaTest}set alphaTest(e){this._alphaTest>0!=e>0&&this.version++,this._alphaTest=e}onBeforeRender(){}onBeforeCompile(){}customProgramCacheKey(){return this.onBeforeCompile.toString()}setValues(e){if(e!==void 0)for(let t in e){let n=e[t];if(n===void 0){tt(`Material: parameter '${t}' has value of undefined.`);continue}let s=this[t];if(s===void 0){tt(`Material: '${t}' is not a property of THREE.${this.type}.`);continue}s&&s.isColor?s.set(n):s&&s.isVector2&&n&&n.isVector2||s&&s.isEuler&&n&&n.isEuler||s&&s.isVector3&&n&&n.isVector3?s.copy(n):this[t]=n}}toJSON(e){let t=e===void 0||typeof e=="string";t&&(e={textures:{},images:{}});let n={metadata:{version:4.7,type:"Material",generator:"Material.toJSON"}};n.uuid=this.uuid,n.type=this.type,n.blending=this.blending,n.side=this.side,n.shadowSide=this.shadowSide,n.vertexColors=this.vertexColors,n.opacity=this.opacity,n.transparent=this.transparent,n.blendSrc=this.blendSrc,n.blendDst=this.blendDst,n.blendEquation=this.blendEquation,n.blendSrcAlpha=this.blendSrcAlpha,n.blendDstAlpha=this.blendDstAlpha,n.blendEquationAlpha=this.blendEquationAlpha,n.blendColor=this.blendColor.getHex(),n.blendAlpha=this.blendAlpha,n.depthFunc=this.depthFunc,n.depthTest=this.depthTest,n.depthWrite=this.depthWrite,n.colorWrite=this.colorWrite,n.clipIntersection=this.clipIntersection,n.clipShadows=this.clipShadows,n.stencilWriteMask=this.stencilWriteMask,n.stencilFunc=this.stencilFunc,n.stencilRef=this.stencilRef,n.stencilFuncMask=this.stencilFuncMask,n.stencilFail=this.stencilFail,n.stencilZFail=this.stencilZFail,n.stencilZPass=this.stencilZPass,n.stencilWrite=this.stencilWrite,n.polygonOffset=this.polygonOffset,n.polygonOffsetFactor=this.polygonOffsetFactor,n.polygonOffsetUnits=this.polygonOffsetUnits,n.dithering=this.dithering,n.alphaTest=this.alphaTest,n.alphaHash=this.alphaHash,n.alphaToCoverage=this.alphaToCoverage,n.premultipliedAlpha=this.premultipliedAlpha,n.forceSinglePass=this.forceSinglePass,n.allowOverride=this.allowOverride,n.visible=this.visible,n.toneMapped=this.toneMapped,n.name=this.name,this.color&&this.color.isColor&&(n.color=this.color.getHex()),this.roughness!==void 0&&(n.roughness=this.roughness),this.metalness!==void 0&&(n.metalness=this.metalness),this.sheen!==void 0&&(n.sheen=this.sheen),this.sheenColor&&this.sheenColor.isColor&&(n.sheenColor=this.sheenColor.getHex()),this.sheenRoughness!==void 0&&(n.sheenRoughness=this.sheenRoughness),this.emissive&&this.emissive.isColor&&(n.emissive=this.emissive.getHex()),this.emissiveIntensity!==void 0&&(n.emissiveIntensity=this.emissiveIntensity),this.specular&&this.specular.isColor&&(n.specular=this.specular.getHex()),this.specularIntensity!==void 0&&(n.specularIntensity=this.specularIntensity),this.specularColor&&this.specularColor.isColor&&(n.specularColor=this.specularColor.getHex()),this.shininess!==void 0&&(n.shininess=this.shininess),this.clearcoat!==void 0&&(n.clearcoat=this.clearcoat),this.clearcoatRoughness!==void 0&&(n.clearcoatRoughness=this.clearcoatRoughness),this.diffuseRoughness!==void 0&&(n.diffuseRoughness=this.diffuseRoughness),this.diffuseRoughnessMap&&this.diffuseRoughnessMap.isTexture&&(n.diffuseRoughnessMap=this.diffuseRoughnessMap.toJSON(e).uuid),this.clearcoatMap&&this.clearcoatMap.isTexture&&(n.clearcoatMap=this.clearcoatMap.toJSON(e).uuid),this.clearcoatRoughnessMap&&this.clearcoatRoughnessMap.isTexture&&(n.clearcoatRoughnessMap=this.clearcoatRoughnessMap.toJSON(e).uuid),this.clearcoatNormalMap&&this.clearcoatNormalMap.isTexture&&(n.clearcoatNormalMap=this.clearcoatNormalMap.toJSON(e).uuid,n.clearcoatNormalScale=this.clearcoatNormalScale.toArray()),this.sheenColorMap&&this.sheenColorMap.isTexture&&(n.sheenColorMap=this.sheenColorMap.toJSON(e).uuid),this.sheenRoughnessMap&&this.sheenRoughnessMap.isTexture&&(n.sheenRoughnessMap=this.sheenRoughnessMap.toJSON(e).uuid),this.dispersion!==void 0&&(n.dispersion=this.dispersion),this.retroreflectivity!==void 0&&(n.retroreflectivity=this.retroreflectivity),this.iridescence!==void 0&&(n.iridescence=this.iridescence),this.iridescenceIOR!==void 0&&(n.iridescenceIOR=this.iridescenceIOR),this.iridescenceThicknessMinimum!==void 0&&(n.iridescenceThicknessMinimum=this.iridescenceThicknessMinimum),this.iridescenceThicknessMaximum!==void 0&&(n.iridescenceThicknessMaximum=this.iridescenceThicknessMaximum),this.iridescenceMap&&this.iridescenceMap.isTexture&&(n.iridescenceMap=this.iridescenceMap.toJSON(e).uuid),this.iridescenceThicknessMap&&this.iridescenceThicknessMap.isTexture&&(n.iridescenceThicknessMap=this.iridescenceThicknessMap.toJSON(e).uuid),this.anisotropy!==void 0&&(n.anisotropy=this.anisotropy),this.anisotropyRotation!==void 0&&(n.anisotropyRotation=this.anisotropyRotation),this.anisotropyMap&&this.anisotropyMap.isTexture&&(n.anisotropyMap=this.anisotropyMap.toJSON(e).uuid),this.map&&this.map.isTexture&&(n.map=this.map.toJSON(e).uuid),this.matcap&&this.matcap.isTexture&&(n.matcap=this.matcap.toJSON(e).uuid),this.alphaMap&&this.alphaMap.isTexture&&(n.alphaMap=this.alphaMap.toJSON(e).uuid),this.lightMap&&this.lightMap.isTexture&&(n.lightMap=this.lightMap.toJSON(e).uuid,n.lightMapIntensity=this.lightMapIntensity),this.aoMap&&this.aoMap.isTexture&&(n.aoMap=this.aoMap.toJSON(e).uuid,n.aoMapIntensity=this.aoMapIntensity),this.bumpMap&&this.bumpMap.isTexture&&(n.bumpMap=this.bumpMap.toJSON(e).uuid,n.bumpScale=this.bumpScale),this.normalMap&&this.normalMap.isTexture&&(n.normalMap=this.normalMap.toJSON(e).uuid,n.normalMapType=this.normalMapType,n.normalScale=this.normalScale.toArray()),this.displacementMap&&this.displacementMap.isTexture&&(n.displacementMap=this.displacementMap.toJSON(e).uuid,n.displacementScale=this.displacementScale,n.displacementBias=this.displacementBias),this.roughnessMap&&this.roughnessMap.isTexture&&(n.roughnessMap=this.roughnessMap.toJSON(e).uuid),this.metalnessMap&&this.metalnessMap.isTexture&&(n.metalnessMap=this.metalnessMap.toJSON(e).uuid),this.emissiveMap&&this.emissiveMap.isTexture&&(n.emissiveMap=this.emissiveMap.toJSON(e).uuid),this.specularMap&&this.specularMap.isTexture&&(n.specularMap=this.specularMap.toJSON(e).uuid),this.specularIntensityMap&&this.specularIntensityMap.isTexture&&(n.specularIntensityMap=this.specularIntensityMap.toJSON(e).uuid),this.specularColorMap&&this.specularColorMap.isTexture&&(n.specularColorMap=this.specularColorMap.toJSON(e).uuid),this.envMap&&this.envMap.isTexture&&(n.envMap=this.envMap.toJSON(e).uuid,this.combine!==void 0&&(n.combine=this.combine)),this.envMapRotation!==void 0&&(n.envMapRotation=this.envMapRotation.toArray()),this.envMapIntensity!==void 0&&(n.envMapIntensity=this.envMapIntensity),this.reflectivity!==void 0&&(n.reflectivity=this.reflectivity),this.refractionRatio!==void 0&&(n.refractionRatio=this.refractionRatio),this.gradientMap&&this.gradientMap.isTexture&&(n.gradientMap=this.gradientMap.toJSON(e).uuid),this.transmission!==void 0&&(n.transmission=this.transmission),this.transmissionMap&&this.transmissionMap.isTexture&&(n.transmissionMap=this.transmissionMap.toJSON(e).uuid),this.thickness!==void 0&&(n.thickness=this.thickness),this.thicknessMap&&this.thicknessMap.isTexture&&(n.thicknessMap=this.thicknessMap.toJSON(e).uuid),this.attenuationDistance!==void 0&&(n.attenuationDistance=this.attenuationDistance),this.attenuationColor!==void 0&&(n.attenuationColor=this.attenuationColor.getHex()),this.size!==void 0&&(n.size=this.size),this.sizeAttenuation!==void 0&&(n.sizeAttenuation=this.sizeAttenuation),Array.isArray(this.clippingPlanes)&&this.clippingPlanes.length>0&&(n.clippingPlanes=this.clippingPlanes.map(r=>r.toJSON())),this.rotation!==void 0&&(n.rotation=this.rotation),this.depthPacking!==void 0&&(n.depthPacking=this.depthPacking),this.linewidth!==void 0&&(n.linewidth=this.linewidth),this.linecap!==void 0&&(n.linecap=this.linecap),this.linejoin!==void 0&&(n.linejoin=this.linejoin),this.dashSize!==void 0&&(n.dashSize=this.dashSize),this.gapSize!==void 0&&(n.gapSize=this.gapSize),this.scale!==void 0&&(n.scale=this.scale),this.wireframe!==void 0&&(n.wireframe=this.wireframe),this.wireframeLinewidth!==void 0&&(n.wireframeLinewidth=this.wireframeLinewidth),this.wireframeLinecap!==void 0&&(n.wireframeLinecap=this.wireframeLinecap),this.wireframeLinejoin!==void 0&&(n.wireframeLinejoin=this.wireframeLinejoin),this.flatShading!==void 0&&(n.flatShading=this.flatShading),this.fog!==void 0&&(n.fog=this.fog),Object.keys(this.userData).length>0&&(n.userData=this.userData);function s(r){let o=[];for(let a in r){let l=r[a];delete l.metadata,o.push(l)}return o}if(t){let r=s(e.textures),o=s(e.images);r.length>0&&(n.textures=r),o.length>0&&(n.images=o)}return n}fromJSON(e,t){if(e.uuid!==void 0&&(this.uuid=e.uuid),e.name!==void 0&&(this.name=e.name),e.color!==void 0&&this.color!==void 0&&this.color.setHex(e.color),e.roughness!==void 0&&(this.roughness=e.roughness),e.metalness!==void 0&&(this.metalness=e.metalness),e.sheen!==void 0&&(this.sheen=e.sheen),e.sheenColor!==void 0&&(this.sheenColor=new Ve().setHex(e.sheenColor)),e.sheenRoughness!==void 0&&(this.sheenRoughness=e.sheenRoughness),e.emissive!==void 0&&this.emissive!==void 0&&this.emissive.setHex(e.emissive),e.specular!==void 0&&this.specular!==void 0&&this.specular.setHex(e.specular),e.specularIntensity!==void 0&&(this.specularIntensity=e.specularIntensity),e.specularColor!==void 0&&this.specularColor!==void 0&&this.specularColor.setHex(e.specularColor),e.shininess!==void 0&&(this.shininess=e.shininess),e.clearcoat!==void 0&&(this.clearcoat=e.clearcoat),e.clearcoatRoughness!==void 0&&(this.clearcoatRoughness=e.clearcoatRoughness),e.diffuseRoughness!==void 0&&(this.diffuseRoughness=e.diffuseRoughness),e.dispersion!==void 0&&(this.dispersion=e.dispersion),e.retroreflectivity!==void 0&&(this.retroreflectivity=e.retroreflectivity),e.iridescence!==void 0&&(this.iridescence=e.iridescence),e.iridescenceIOR!==void 0&&(this.iridescenceIOR=e.iridescenceIOR),e.iridescenceThicknessMinimum!==void 0&&(this.iridescenceThicknessMinimum=e.iridescenceThicknessMinimum),e.iridescenceThicknessMaximum!==void 0&&(this.iridescenceThicknessMaximum=e.iridescenceThicknessMaximum),e.iridescenceThicknessRange!==void 0&&(this.iridescenceThicknessMinimum=e.iridescenceThicknessRange[0],this.iridescenceThicknessMaximum=e.iridescenceThicknessRange[1]),e.transmission!==void 0&&(this.transmission=e.transmission),e.thickness!==void 0&&(this.thickness=e.thickness),e.attenuationDistance!==void 0&&(this.attenuationDistance=e.attenuationDistance),e.attenuationColor!==void 0&&this.attenuationColor!==void 0&&this.attenuationColor.setHex(e.attenuationColor),e.anisotropy!==void 0&&(this.anisotropy=e.anisotropy),e.anisotropyRotation!==void 0&&(this.anisotropyRotation=e.anisotropyRotation),e.fog!==void 0&&(this.fog=e.fog),e.flatShading!==void 0&&(this.flatShading=e.flatShading),e.blending!==void 0&&(this.blending=e.blending),e.combine!==void 0&&(this.combine=e.combine),e.side!==void 0&&(this.side=e.side),e.shadowSide!==void 0&&(this.shadowSide=e.shadowSide),e.opacity!==void 0&&(this.opacity=e.opacity),e.transparent!==void 0&&(this.transparent=e.transparent),e.alphaTest!==void 0&&(this.alphaTest=e.alphaTest),e.alphaHash!==void 0&&(this.alphaHash=e.alphaHash),e.depthFunc!==void 0&&(this.depthFunc=e.depthFunc),e.depthTest!==void 0&&(this.depthTest=e.depthTest),e.depthWrite!==void 0&&(this.depthWrite=e.depthWrite),e.colorWrite!==void 0&&(this.colorWrite=e.colorWrite),e.clippingPlanes!==void 0&&(this.clippingPlanes=e.clippingPlanes.map(n=>new ii().fromJSON(n))),e.clipIntersection!==void 0&&(this.clipIntersection=e.clipIntersection),e.clipShadows!==void 0&&(this.clipShadows=e.clipShadows),e.depthPacking!==void 0&&(this.depthPacking=e.depthPacking),e.blendSrc!==void 0&&(this.blendSrc=e.blendSrc),e.blendDst!==void 0&&(this.blendDst=e.blendDst),e.blendEquation!==void 0&&(this.blendEquation=e.blendEquation),e.blendSrcAlpha!==void 0&&(this.blendSrcAlpha=e.blendSrcAlpha),e.blendDstAlpha!==void 0&&(this.blendDstAlpha=e.blendDstAlpha),e.blendEquationAlpha!==void 0&&(this.blendEquationAlpha=e.blendEquationAlpha),e.blendColor!==void 0&&this.blendColor!==void 0&&this.blendColor.setHex(e.blendColor),e.blendAlpha!==void 0&&(this.blendAlpha=e.blendAlpha),e.stencilWriteMask!==void 0&&(this.stencilWriteMask=e.stencilWriteMask),e.stencilFunc!==void 0&&(this.stencilFunc=e.stencilFunc),e.stencilRef!==void 0&&(this.stencilRef=e.stencilRef),e.stencilFuncMask!==void 0&&(this.stencilFuncMask=e.stencilFuncMask),e.stencilFail!==void 0&&(this.stencilFail=e.stencilFail),e.stencilZFail!==void 0&&(this.stencilZFail=e.stencilZFail),e.stencilZPass!==void 0&&(this.stencilZPass=e.stencilZPass),e.stencilWrite!==void 0&&(this.stencilWrite=e.stencilWrite),e.wireframe!==void 0&&(this.wireframe=e.wireframe),e.wireframeLinewidth!==void 0&&(this.wireframeLinewidth=e.wireframeLinewidth),e.wireframeLinecap!==void 0&&(this.wireframeLinecap=e.wireframeLinecap),e.wireframeLinejoin!==void 0&&(this.wireframeLinejoin=e.wireframeLinejoin),e.rotation!==void 0&&(this.rotation=e.rotation),e.linewidth!==void 0&&(this.linewidth=e.linewidth),e.linecap!==void 0&&(this.linecap=e.linecap),e.linejoin!==void 0&&(this.linejoin=e.linejoin),e.dashSize!==void 0&&(this.dashSize=e.dashSize),e.gapSize!==void 0&&(this.gapSize=e.gapSize),e.scale!==void 0&&(this.scale=e.scale),e.polygonOffset!==void 0&&(this.polygonOffset=e.polygonOffset),e.polygonOffsetFactor!==void 0&&(this.polygonOffsetFactor=e.polygonOffsetFactor),e.polygonOffsetUnits!==void 0&&(this.polygonOffsetUnits=e.polygonOffsetUnits),e.dithering!==void 0&&(this.dithering=e.dithering),e.alphaToCoverage!==void 0&&(this.alphaToCoverage=e.alphaToCoverage),e.premultipliedAlpha!==void 0&&(this.premultipliedAlpha=e.premultipliedAlpha),e.forceSinglePass!==void 0&&(this.forceSinglePass=e.forceSinglePass),e.allowOverride!==void 0&&(this.allowOverride=e.allowOverride),e.visible!==void 0&&(this.visible=e.visible),e.toneMapped!==void 0&&(this.toneMapped=e.toneMapped),e.userData!==void 0&&(this.userData=e.userData),e.vertexColors!==void 0&&(typeof e.vertexColors=="number"?this.vertexColors=e.vertexColors>0:this.vertexColors=e.vertexColors),e.size!==void 0&&(this.size=e.size),e.sizeAttenuation!==void 0&&(this.sizeAttenuation=e.sizeAttenuation),e.map!==void 0&&(this.map=t[e.map]||null),e.matcap!==void 0&&(this.matcap=t[e.matcap]||null),e.alphaMap!==void 0&&(this.alphaMap=t[e.alphaMap]||null),e.bumpMap!==void 0&&(this.bumpMap=t[e.bumpMap]||null),e.bumpScale!==void 0&&(this.bumpScale=e.bumpScale),e.normalMap!==void 0&&(this.normalMap=t[e.normalMap]||null),e.normalMapType!==void 0&&(this.normalMapType=e.normalMapType),e.normalScale!==void 0){let n=e.normalScale;Array.isArray(n)===!1&&(n=[n,n]),this.normalScale=new Ee().fromArray(n)}return e.displacementMap!==void 0&&(this.displacementMap=t[e.displacementMap]||null),e.displacementScale!==void 0&&(this.displacementScale=e.displacementScale),e.displacementBias!==void 0&&(this.displacementBias=e.displacementBias),e.roughnessMap!==void 0&&(this.roughnessMap=t[e.roughnessMap]||null),e.metalnessMap!==void 0&&(this.metalnessMap=t[e.metalnessMap]||null),e.emissiveMap!==void 0&&(this.emissiveMap=t[e.emissiveMap]||null),e.emissiveIntensity!==void 0&&(this.emissiveIntensity=e.emissiveIntensity),e.specularMap!==void 0&&(this.specularMap=t[e.specularMap]||null),e.specularIntensityMap!==void 0&&(this.specularIntensityMap=t[e.specularIntensityMap]||null),e.specularColorMap!==void 0&&(this.specularColorMap=t[e.specularColorMap]||null),e.envMap!==void 0&&(this.envMap=t[e.envMap]||null),e.envMapRotation!==void 0&&this.envMapRotation.fromArray(e.envMapRotation),e.envMapIntensity!==void 0&&(this.envMapIntensity=e.envMapIntensity),e.reflectivity!==void 0&&(this.reflectivity=e.reflectivity),e.refractionRatio!==void 0&&(this.refractionRatio=e.refractionRatio),e.lightMap!==void 0&&(this.lightMap=t[e.lightMap]||null),e.lightMapIntensity!==void 0&&(this.lightMapIntensity=e.lightMapIntensity),e.aoMap!==void 0&&(this.aoMap=t[e.aoMap]||null),e.aoMapIntensity!==void 0&&(this.aoMapIntensity=e.aoMapIntensity),e.gradientMap!==void 0&&(this.gradientMap=t[e.gradientMap]||null),e.clearcoatMap!==void 0&&(this.clearcoatMap=t[e.clearcoatMap]||null),e.clearcoatRoughnessMap!==void 0&&(this.clearcoatRoughnessMap=t[e.clearcoatRoughnessMap]||null),e.clearcoatNormalMap!==void 0&&(this.clearcoatNormalMap=t[e.clearcoatNormalMap]||null),e.clearcoatNormalScale!==void 0&&(this.clearcoatNormalScale=new Ee().fromArray(e.clearcoatNormalScale)),e.diffuseRoughnessMap!==void 0&&(this.diffuseRoughnessMap=t[e.diffuseRoughnessMap]||null),e.iridescenceMap!==void 0&&(this.iridescenceMap=t[e.iridescenceMap]||null),e.iridescenceThicknessMap!==void 0&&(this.iridescenceThicknessMap=t[e.iridescenceThicknessMap]||null),e.transmissionMap!==void 0&&(this.transmissionMap=t[e.transmissionMap]||null),e.thicknessMap!==void 0&&(this.thicknessMap=t[e.thicknessMap]||null),e.anisotropyMap!==void 0&&(this.anisotropyMap=t[e.anisotropyMap]||null),e.sheenColorMap!==void 0&&(this.sheenColorMap=t[e.sheenColorMap]||null),e.sheenRoughnessMap!==void 0&&(this.sheenRoughnessMap=t[e.sheenRoughnessMap]||null),this}clone(){return new this.constructor().copy(this)}copy(e){this.name=e.name,this.blending=e.blending,this.side=e.side,this.vertexColors=e.vertexColors,this.opacity=e.opacity,this.transparent=e.transparent,this.blendSrc=e.blendSrc,this.blendDst=e.blendDst,this.blendEquation=e.blendEquation,this.blendSrcAlpha=e.blendSrcAlpha,this.blendDstAlpha=e.blendDstAlpha,this.blendEquationAlpha=e.blendEquationAlpha,this.blendColor.copy(e.blendColor),this.blendAlpha=e.blendAlpha,this.depthFunc=e.depthFunc,this.depthTest=e.depthTest,this.depthWrite=e.depthWrite,this.stencilWriteMask=e.stencilWriteMask,this.stencilFunc=e.stencilFunc,this.stencilRef=e.stencilRef,this.stencilFuncMask=e.stencilFuncMask,this.stencilFail=e.stencilFail,this.stencilZFail=e.stencilZFail,this.stencilZPass=e.stencilZPass,this.stencilWrite=e.stencilWrite;let t=e.clippingPlanes,n=null;if(t!==null){let s=t.length;n=new Array(s);for(let r=0;r!==s;++r)n[r]=t[r].clone()}return this.clippingPlanes=n,this.clipIntersection=e.clipIntersection,this.clipShadows=e.clipShadows,this.shadowSide=e.shadowSide,this.colorWrite=e.colorWrite,this.precision=e.precision,this.polygonOffset=e.polygonOffset,this.polygonOffsetFactor=e.polygonOffsetFactor,this.polygonOffsetUnits=e.polygonOffsetUnits,this.dithering=e.dithering,this.alphaTest=e.alphaTest,this.alphaHash=e.alphaHash,this.alphaToCoverage=e.alphaToCoverage,this.premultipliedAlpha=e.premultipliedAlpha,this.forceSinglePass=e.forceSinglePass,this.allowOverride=e.allowOverride,this.visible=e.visible,this.toneMapped=e.toneMapped,this.userData=JSON.parse(JSON.stringify(e.userData)),this}dispose(){this.dispatchEvent({type:"dispose"})}set needsUpdate(e){e===!0&&this.version++}};var ps=new k,yu=new k,Sl=new k,bl=new k,fo=class{constructor(e=new k,t=new k(0,0,-1)){this.origin=e,this.direction=t}set(e,t){return this.origin.copy(e),this.direction.copy(t),this}copy(e){return this.origin.copy(e.origin),this.direction.copy(e.direction),this}at(e,t){return t.copy(this.origin).addScaledVector(this.direction,e)}lookAt(e){return this.direction.copy(e).sub(this.origin).normalize(),this}recast(e){return this.origin.copy(this.at(e,ps)),this}closestPointToPoint(e,t){t.subVectors(e,this.origin);let n=t.dot(this.direction);return n<0?t.copy(this.origin):t.copy(this.origin).addScaledVector(this.direction,n)}distanceToPoint(e){return Math.sqrt(this.distanceSqToPoint(e))}distanceSqToPoint(e){let t=ps.subVectors(e,this.origin).dot(this.direction);return t<0?this.origin.distanceToSquared(e):(ps.copy(this.origin).addScaledVector(this.direction,t),ps.distanceToSquared(e))}distanceSqToSegment(e,t,n,s){yu.copy(e).add(t).multiplyScalar(.5),Sl.copy(t).sub(e).normalize(),bl.copy(this.origin).sub(yu);let r=e.distanceTo(t)*.5,o=-this.direction.dot(Sl),a=bl.dot(this.direction),l=-bl.dot(Sl),c=bl.lengthSq(),h=Math.abs(1-o*o),u,f,d,p;if(h>0)if(u=o*l-a,f=o*a-l,p=r*h,u>=0)if(f>=-p)if(f<=p){let x=1/h;u*=x,f*=x,d=u*(u+o*f+2*a)+f*(o*u+f+2*l)+c}else f=r,u=Math.max(0,-(o*f+a)),d=-u*u+f*(f+2*l)+c;else f=-r,u=Math.max(0,-(o*f+a)),d=-u*u+f*(f+2*l)+c;else f<=-p?(u=Math.max(0,-(-o*r+a)),f=u>0?-r:Math.min(Math.max(-r,-l),r),d=-u*u+f*(f+2*l)+c):f<=p?(u=0,f=Math.min(Math.max(-r,-l),r),d=f*(f+2*l)+c):(u=Math.max(0,-(o*r+a)),f=u>0?r:Math.min(Math.max(-r,-l),r),d=-u*u+f*(f+2*l)+c);else f=o>0?-r:r,u=Math.max(0,-(o*f+a)),d=-u*u+f*(f+2*l)+c;return n&&n.copy(this.origin).addScaledVector(this.direction,u),s&&s.copy(yu).addScaledVector(Sl,f),d}intersectSphere(e,t){if(e.radius<0)return null;ps.subVectors(e.center,this.origin);let n=ps.dot(this.direction),s=ps.dot(ps)-n*n,r=e.radius*e.radius;if(s>r)return null;let o=Math.sqrt(r-s),a=n-o,l=n+o;return l<0?null:a<0?this.at(l,t):this.at(a,t)}intersectsSphere(e){return e.radius<0?!1:this.distanceSqToPoint(e.center)<=e.radius*e.radius}distanceToPlane(e){let t=e.normal.dot(this.direction);if(t===0)return e.distanceToPoint(this.origin)===0?0:null;let n=-(this.origin.dot(e.normal)+e.constant)/t;return n>=0?n:null}intersectPlane(e,t){let n=this.distanceToPlane(e);return n===null?null:this.at(n,t)}intersectsPlane(e){let t=e.distanceToPoint(this.origin);return t===0||e.normal.dot(this.direction)*t<0}intersectBox(e,t){let n,s,r,o,a,l,c=1/this.direction.x,h=1/this.direction.y,u=1/this.direction.z,f=this.origin;return c>=0?(n=(e.min.x-f.x)*c,s=(e.max.x-f.x)*c):(n=(e.max.x-f.x)*c,s=(e.min.x-f.x)*c),h>=0?(r=(e.min.y-f.y)*h,o=(e.max.y-f.y)*h):(r=(e.max.y-f.y)*h,o=(e.min.y-f.y)*h),n>o||r>s||((r>n||isNaN(n))&&(n=r),(o<s||isNaN(s))&&(s=o),u>=0?(a=(e.min.z-f.z)*u,l=(e.max.z-f.z)*u):(a=(e.max.z-f.z)*u,l=(e.min.z-f.z)*u),n>l||a>s)||((a>n||n!==n)&&(n=a),(l<s||s!==s)&&(s=l),s<0)?null:this.at(n>=0?n:s,t)}intersectsBox(e){return this.intersectBox(e,ps)!==null}intersectTriangle(e,t,n,s,r){let o=this.origin,a=this.direction,l=a.x,c=a.y,h=a.z,u=e.x-o.x,f=e.y-o.y,d=e.z-o.z,p=t.x-o.x,x=t.y-o.y,m=t.z-o.z,g=n.x-o.x,v=n.y-o.y,E=n.z-o.z,_=Math.abs(l),R=Math.abs(c),A=Math.abs(h),y,b,U,I,P,z,V,N,B,X,G,le;if(_>=R&&_>=A?(U=l,z=u,B=p,le=g,l>=0?(y=c,b=h,I=f,P=d,V=x,N=m,X=v,G=E):(y=h,b=c,I=d,P=f,V=m,N=x,X=E,G=v)):R>=A?(U=c,z=f,B=x,le=v,c>=0?(y=h,b=l,I=d,P=u,V=m,N=p,X=E,G=g):(y=l,b=h,I=u,P=d,V=p,N=m,X=g,G=E)):(U=h,z=d,B=m,le=E,h>=0?(y=l,b=c,I=u,P=f,V=p,N=x,X=g,G=v):(y=c,b=l,I=f,P=u,V=x,N=p,X=v,G=g)),U===0)return null;let Y=y/U,K=b/U,ee=1/U,fe=I-Y*z,he=P-K*z,j=V-Y*B,ge=N-K*B,_e=X-Y*le,Le=G-K*le,be=_e*ge-Le*j,He=fe*Le-he*_e,st=j*he-ge*fe;if(s){if(be<0||He<0||st<0)return null}else if((be<0||He<0||st<0)&&(be>0||He>0||st>0))return null;let Ke=be+He+st;if(Ke===0)return null;let rt=ee*(be*z+He*B+st*le);return(Ke>0?rt<0:rt>0)?null:this.at(rt/Ke,r)}applyMatrix4(e){return this.origin.applyMatrix4(e),this.direction.transformDirection(e),this}equals(e){return e.origin.equals(this.origin)&&e.direction.equals(this.direction)}clone(){return new this.constructor().copy(this)}},Ki=class extends Ms{constructor(e){super(),this.isMeshBasicMaterial=!0,this.type="MeshBasicMaterial",this.color=new Ve(16777215),this.map=null,this.lightMap=null,this.lightMapIntensity=1,this.aoMap=null,this.aoMapIntensity=1,this.specularMap=null,this.alphaMap=null,this.envMap=null,this.envMapRotation=new _s,this.combine=Wu,this.reflectivity=1,this.refractionRatio=.98,this.wireframe=!1,this.wireframeLinewidth=1,this.wireframeLinecap="round",this.wireframeLinejoin="round",this.fog=!0,this.setValues(e)}copy(e){return super.copy(e),this.color.copy(e.color),this.map=e.map,this.lightMap=e.lightMap,this.lightMapIntensity=e.lightMapIntensity,this.aoMap=e.aoMap,this.aoMapIntensity=e.aoMapIntensity,this.specularMap=e.specularMap,this.alphaMap=e.alphaMap,this.envMap=e.envMap,this.envMapRotation.copy(e.envMapRotation),this.combine=e.combine,this.reflectivity=e.reflectivity,this.refractionRatio=e.refractionRatio,this.wireframe=e.wireframe,this.wireframeLinewidth=e.wireframeLinewidth,this.wireframeLinecap=e.wireframeLinecap,this.wireframeLinejoin=e.wireframeLinejoin,this.fog=e.fog,this}},fp=new Rt,ar=new fo,wl=new vs,dp=new k,Al=new k,Tl=new k,El=new k,vu=new k,Rl=new k,pp=new k,Cl=new k,xn=class extends Ln{constructor(e=new Jt,t=new Ki){super(),this.isMesh=!0,this.type="Mesh",this.geometry=e,this.material=t,this.morphTargetDictionary=void 0,this.morphTargetInfluences=void 0,this.count=1,this.updateMorphTargets()}copy(e,t){return super.copy(e,t),e.morphTargetInfluences!==void 0?this.morphTargetInfluences=e.morphTargetInfluences.slice():this.morphTargetInfluences=void 0,e.morphTargetDictionary!==void 0?this.morphTargetDictionary=Object.assign({},e.morphTargetDictionary):this.morphTargetDictionary=void 0,this.material=Array.isArray(e.material)?e.material.slice():e.material,this.geometry=e.geometry,this}updateMorphTargets(){let t=this.geometry.morphAttributes,n=Object.keys(t);if(n.length>0){let s=t[n[0]];if(s!==void 0){this.morphTargetInfluences=[],this.morphTargetDictionary={};for(let r=0,o=s.length;r<o;r++){let a=s[r].name||String(r);this.morphTargetInfluences.push(0),this.morphTargetDictionary[a]=r}}}}getVertexPosition(e,t){let n=this.geometry,s=n.attributes.position,r=n.morphAttributes.position,o=n.morphTargetsRelative;t.fromBufferAttribute(s,e);let a=this.morphTargetInfluences;if(r&&a){Rl.set(0,0,0);for(let l=0,c=r.length;l<c;l++){let h=a[l],u=r[l];h!==0&&(vu.fromBufferAttribute(u,e),o?Rl.addScaledVector(vu,h):Rl.addScaledVector(vu.sub(t),h))}t.add(Rl)}return t}intersectsFrustum(e){return e.intersectsObject(this)}raycast(e,t){let n=this.geometry,s=this.material,r=this.matrixWorld;s!==void 0&&(n.boundingSphere===null&&n.computeBoundingSphere(),wl.copy(n.boundingSphere),wl.applyMatrix4(r),ar.copy(e.ray).recast(e.near),!(wl.containsPoint(ar.origin)===!1&&(ar.intersectSphere(wl,dp)===null||ar.origin.distanceToSquared(dp)>(e.far-e.near)**2))&&(fp.copy(r).invert(),ar.copy(e.ray).applyMatrix4(fp),!(n.boundingBox!==null&&ar.intersectsBox(n.boundingBox)===!1)&&this._computeIntersections(e,t,ar)))}_computeIntersections(e,t,n){let s,r=this.geometry,o=this.material,a=r.index,l=r.attributes.position,c=r.attributes.uv,h=r.attributes.uv1,u=r.attributes.normal,f=r.groups,d=r.drawRange;if(a!==null)if(Array.isArray(o))for(let p=0,x=f.length;p<x;p++){let m=f[p],g=o[m.materialIndex],v=Math.max(m.start,d.start),E=Math.min(a.count,Math.min(m.start+m.count,d.start+d.count));for(let _=v,R=E;_<R;_+=3){let A=a.getX(_),y=a.getX(_+1),b=a.getX(_+2);s=Il(this,g,e,n,c,h,u,A,y,b),s&&(s.faceIndex=Math.floor(_/3),s.face.materialIndex=m.materialIndex,t.push(s))}}else{let p=Math.max(0,d.start),x=Math.min(a.count,d.start+d.count);for(let m=p,g=x;m<g;m+=3){let v=a.getX(m),E=a.getX(m+1),_=a.getX(m+2);s=Il(this,o,e,n,c,h,u,v,E,_),s&&(s.faceIndex=Math.floor(m/3),t.push(s))}}else if(l!==void 0)if(Array.isArray(o))for(let p=0,x=f.length;p<x;p++){let m=f[p],g=o[m.materialIndex],v=Math.max(m.start,d.start),E=Math.min(l.count,Math.min(m.start+m.count,d.start+d.count));for(let _=v,R=E;_<R;_+=3){let A=_,y=_+1,b=_+2;s=Il(this,g,e,n,c,h,u,A,y,b),s&&(s.faceIndex=Math.floor(_/3),s.face.materialIndex=m.materialIndex,t.push(s))}}else{let p=Math.max(0,d.start),x=Math.min(l.count,d.start+d.count);for(let m=p,g=x;m<g;m+=3){let v=m,E=m+1,_=m+2;s=Il(this,o,e,n,c,h,u,v,E,_),s&&(s.faceIndex=Math.floor(m/3),t.push(s))}}}};function A_(i,e,t,n,s,r,o,a){let l;if(e.side===Rn?l=n.intersectTriangle(o,r,s,!0,a):l=n.intersectTriangle(s,r,o,e.side===Zs,a),l===null)return null;Cl.copy(a),Cl.applyMatrix4(i.matrixWorld);let c=t.ray.origin.distanceTo(Cl);return c<t.near||c>t.far?null:{distance:c,point:Cl.clone(),object:i}}function Il(i,e,t,n,s,r,o,a,l,c){i.getVertexPosition(a,Al),i.getVertexPosition(l,Tl),i.getVertexPosition(c,El);let h=A_(i,e,t,n,Al,Tl,El,pp);if(h){let u=new k;Vs.getBarycoord(pp,Al,Tl,El,u),s&&(h.uv=Vs.getInterpolatedAttribute(s,a,l,c,u,new Ee)),r&&(h.uv1=Vs.getInterpolatedAttribute(r,a,l,c,u,new Ee)),o&&(h.normal=Vs.getInterpolatedAttribute(o,a,l,c,u,new k),h.normal.dot(n.direction)>0&&h.normal.multiplyScalar(-1));let f={a,b:l,c,normal:new k,materialIndex:0};Vs.getNormal(Al,Tl,El,f.normal),h.face=f,h.barycoord=u}return h}var _a=class extends qn{constructor(e=null,t=1,n=1,s,r,o,a,l,c=pn,h=pn,u,f){super(null,o,a,l,c,h,s,r,u,f),this.isDataTexture=!0,this.image={data:e,width:t,height:n},this.generateMipmaps=!1,this.flipY=!1,this.unpackAlignment=1}};var po=class extends Ot{constructor(e,t,n,s=1){super(e,t,n),this.isInstancedBufferAttribute=!0,this.meshPerAttribute=s}copy(e){return super.copy(e),this.meshPerAttribute=e.meshPerAttribute,this}toJSON(){let e=super.toJSON();return e.meshPerAttribute=this.meshPerAttribute,e.isInstancedBufferAttribute=!0,e}},jr=new Rt,mp=new Rt,Pl=[],gp=new vi,T_=new Rt,na=new xn,ia=new vs,Hs=class extends xn{constructor(e,t,n){super(e,t),this.isInstancedMesh=!0,this.instanceMatrix=new po(new Float32Array(n*16),16),this.instanceColor=null,this.morphTexture=null,this.count=n,this.boundingBox=null,this.boundingSphere=null;for(let s=0;s<n;s++)this.setMatrixAt(s,T_)}computeBoundingBox(){let e=this.geometry,t=this.count;this.boundingBox===null&&(this.boundingBox=new vi),e.boundingBox===null&&e.computeBoundingBox(),this.boundingBox.makeEmpty();for(let n=0;n<t;n++)this.getMatrixAt(n,jr),gp.copy(e.boundingBox).applyMatrix4(jr),this.boundingBox.union(gp)}computeBoundingSphere(){let e=this.geometry,t=this.count;this.boundingSphere===null&&(this.boundingSphere=new vs),e.boundingSphere===null&&e.computeBoundingSphere(),this.boundingSphere.makeEmpty();for(let n=0;n<t;n++)this.getMatrixAt(n,jr),ia.copy(e.boundingSphere).applyMatrix4(jr),this.boundingSphere.union(ia)}copy(e,t){return super.copy(e,t),this.instanceMatrix.copy(e.instanceMatrix),this.morphTexture=e.morphTexture!==null?e.morphTexture.clone():null,this.instanceColor=e.instanceColor!==null?e.instanceColor.clone():null,this.count=e.count,this.boundingBox=e.boundingBox!==null?e.boundingBox.clone():null,this.boundingSphere=e.boundingSphere!==null?e.boundingSphere.clone():null,this}getColorAt(e,t){return this.instanceColor===null?t.setRGB(1,1,1):t.fromArray(this.instanceColor.array,e*3)}getMatrixAt(e,t){return t.fromArray(this.instanceMatrix.array,e*16)}getMorphAt(e,t){let n=t.morphTargetInfluences,s=this.morphTexture.source.data.data,r=n.length+1,o=e*r+1;for(let a=0;a<n.length;a++)n[a]=s[o+a]}raycast(e,t){let n=this.matrixWorld,s=this.count;if(na.geometry=this.geometry,na.material=this.material,na.material!==void 0&&(this.boundingSphere===null&&this.computeBoundingSphere(),ia.copy(this.boundingSphere),ia.applyMatrix4(n),e.ray.intersectsSphere(ia)!==!1))for(let r=0;r<s;r++){this.getMatrixAt(r,jr),mp.multiplyMatrices(n,jr),na.matrixWorld=mp,na.raycast(e,Pl);for(let o=0,a=Pl.length;o<a;o++){let l=Pl[o];l.instanceId=r,l.object=this,t.push(l)}Pl.length=0}}setColorAt(e,t){return this.instanceColor===null&&(this.instanceColor=new po(new Float32Array(this.instanceMatrix.count*3).fill(1),3)),t.toArray(this.instanceColor.array,e*3),this}setMatrixAt(e,t){return t.toArray(this.instanceMatrix.array,e*16),this}setMorphAt(e,t){let n=t.morphTargetInfluences,s=n.length+1;this.morphTexture===null&&(this.morphTexture=new _a(new Float32Array(s*this.count),s,this.count,bc,wi));let r=this.morphTexture.source.data.data,o=0;for(let c=0;c<n.length;c++)o+=n[c];let a=this.geometry.morphTargetsRelative?1:1-o,l=s*e;return r[l]=a,r.set(n,l+1),this}updateMorphTargets(){}dispose(){super.dispose(),this.instanceMatrix.dispose(),this.instanceColor!==null&&this.instanceColor.dispose(),this.morphTexture!==null&&(this.morphTexture.dispose(),this.morphTexture=null)}},lr=new vs,E_=new Ee(.5,.5),Ll=new k,Ws=class{constructor(e=new ii,t=new ii,n=new ii,s=new ii,r=new ii,o=new ii){this.planes=[e,t,n,s,r,o]}set(e,t,n,s,r,o){let a=this.planes;return a[0].copy(e),a[1].copy(t),a[2].copy(n),a[3].copy(s),a[4].copy(r),a[5].copy(o),this}copy(e){let t=this.planes;for(let n=0;n<6;n++)t[n].copy(e.planes[n]);return this}setFromProjectionMatrix(e,t=_i,n=!1){let s=this.planes,r=e.elements,o=r[0],a=r[1],l=r[2],c=r[3],h=r[4],u=r[5],f=r[6],d=r[7],p=r[8],x=r[9],m=r[10],g=r[11],v=r[12],E=r[13],_=r[14],R=r[15];if(s[0].setComponents(c-o,d-h,g-p,R-v).normalize(),s[1].setComponents(c+o,d+h,g+p,R+v).normalize(),s[2].setComponents(c+a,d+u,g+x,R+E).normalize(),s[3].setComponents(c-a,d-u,g-x,R-E).normalize(),n)s[4].setComponents(l,f,m,_).normalize(),s[5].setComponents(c-l,d-f,g-m,R-_).normalize();else if(s[4].setComponents(c-l,d-f,g-m,R-_).normalize(),t===_i)s[5].setComponents(c+l,d+f,g+m,R+_).normalize();else if(t===oo)s[5].setComponents(l,f,m,_).normalize();else throw new Error("THREE.Frustum.setFromProjectionMatrix(): Invalid coordinate system: "+t);return this}intersectsObject(e){if(e.boundingSphere!==void 0)e.boundingSphere===null&&e.computeBoundingSphere(),lr.copy(e.boundingSphere).applyMatrix4(e.matrixWorld);else{let t=e.geometry;t.boundingSphere===null&&t.computeBoundingSphere(),lr.copy(t.boundingSphere).applyMatrix4(e.matrixWorld)}return this.intersectsSphere(lr)}intersectsSprite(e){lr.center.set(0,0,0);let t=E_.distanceTo(e.center);return lr.radius=.7071067811865476+t,lr.applyMatrix4(e.matrixWorld),this.intersectsSphere(lr)}intersectsSphere(e){let t=this.planes,n=e.center,s=-e.radius;for(let r=0;r<6;r++)if(t[r].distanceToPoint(n)<s)return!1;return!0}intersectsBox(e){let t=this.planes;for(let n=0;n<6;n++){let s=t[n];if(Ll.x=s.normal.x>0?e.max.x:e.min.x,Ll.y=s.normal.y>0?e.max.y:e.min.y,Ll.z=s.normal.z>0?e.max.z:e.min.z,s.distanceToPoint(Ll)<0)return!1}return!0}containsPoint(e){let t=this.planes;for(let n=0;n<6;n++)if(t[n].distanceToPoint(e)<0)return!1;return!0}clone(){return new this.constructor().copy(this)}},xp=new Rt,Jl=class i{constructor(){this.coordinateSystem=_i,this._frustums=[],this._count=0}setFromArrayCamera(e){let t=e.cameras,n=this._frustums;for(let s=0;s<t.length;s++){let r=t[s];xp.multiplyMatrices(r.projectionMatrix,r.matrixWorldInverse),n[s]===void 0&&(n[s]=new Ws),n[s].setFromProjectionMatrix(xp,r.coordinateSystem,r.reversedDepth)}return this._count=t.length,this}getFrustum(e){return this._frustums[e]}intersectsObject(e){let t=this._frustums;for(let n=0;n<this._count;n++)if(t[n].intersectsObject(e))return!0;return!1}intersectsSprite(e){let t=this._frustums;for(let n=0;n<this._count;n++)if(t[n].intersectsSprite(e))return!0;return!1}intersectsSphere(e){let t=this._frustums;for(let n=0;n<this._count;n++)if(t[n].intersectsSphere(e))return!0;return!1}intersectsBox(e){let t=this._frustums;for(let n=0;n<this._count;n++)if(t[n].intersectsBox(e))return!0;return!1}containsPoint(e){let t=this._frustums;for(let n=0;n<this._count;n++)if(t[n].containsPoint(e))return!0;return!1}copy(e){this.coordinateSystem=e.coordinateSystem;let t=this._frustums,n=e._frustums;for(let s=0;s<e._count;s++)t[s]===void 0&&(t[s]=new Ws),t[s].copy(n[s]);return this._count=e._count,this}clone(){return new i().copy(this)}};var Xs=class extends Ms{constructor(e){super(),this.isLineBasicMaterial=!0,this.type="LineBasicMaterial",this.color=new Ve(16777215),this.map=null,this.linewidth=1,this.linecap="round",this.linejoin="round",this.fog=!0,this.setValues(e)}copy(e){return super.copy(e),this.color.copy(e.color),this.map=e.map,this.linewidth=e.linewidth,this.linecap=e.linecap,this.linejoin=e.linejoin,this.fog=e.fog,this}},Kl=new k,jl=new k,_p=new Rt,sa=new fo,Nl=new vs,Mu=new k,yp=new k,ur=class extends Ln{constructor(e=new Jt,t=new Xs){super(),this.isLine=!0,this.type="Line",this.geometry=e,this.material=t,this.morphTargetDictionary=void 0,this.morphTargetInfluences=void 0,this.updateMorphTargets()}copy(e,t){return super.copy(e,t),e.morphTargetInfluences!==void 0?this.morphTargetInfluences=e.morphTargetInfluences.slice():this.morphTargetInfluences=void 0,e.morphTargetDictionary!==void 0?this.morphTargetDictionary=Object.assign({},e.morphTargetDictionary):this.morphTargetDictionary=void 0,this.material=Array.isArray(e.material)?e.material.slice():e.material,this.geometry=e.geometry,this}computeLineDistances(){let e=this.geometry;if(e.index===null){let t=e.attributes.position,n=[0];for(let s=1,r=t.count;s<r;s++)Kl.fromBufferAttribute(t,s-1),jl.fromBufferAttribute(t,s),n[s]=n[s-1],n[s]+=Kl.distanceTo(jl);e.setAttribute("lineDistance",new Lt(n,1))}else tt("Line.computeLineDistances(): Computation only possible with non-indexed BufferGeometry.");return this}intersectsFrustum(e){return e.intersectsObject(this)}raycast(e,t){let n=this.geometry,s=this.matrixWorld,r=e.params.Line.threshold,o=n.drawRange;if(n.boundingSphere===null&&n.computeBoundingSphere(),Nl.copy(n.boundingSphere),Nl.applyMatrix4(s),Nl.radius+=r,e.ray.intersectsSphere(Nl)===!1)return;_p.copy(s).invert(),sa.copy(e.ray).applyMatrix4(_p);let a=r/((this.scale.x+this.scale.y+this.scale.z)/3),l=a*a,c=this.isLineSegments?2:1,h=n.index,f=n.attributes.position;if(h!==null){let d=Math.max(0,o.start),p=Math.min(h.count,o.start+o.count);for(let x=d,m=p-1;x<m;x+=c){let g=h.getX(x),v=h.getX(x+1),E=Dl(this,e,sa,l,g,v,x);E&&t.push(E)}if(this.isLineLoop){let x=h.getX(p-1),m=h.getX(d),g=Dl(this,e,sa,l,x,m,p-1);g&&t.push(g)}}else{let d=Math.max(0,o.start),p=Math.min(f.count,o.start+o.count);for(let x=d,m=p-1;x<m;x+=c){let g=Dl(this,e,sa,l,x,x+1,x);g&&t.push(g)}if(this.isLineLoop){let x=Dl(this,e,sa,l,p-1,d,p-1);x&&t.push(x)}}}updateMorphTargets(){let t=this.geometry.morphAttributes,n=Object.keys(t);if(n.length>0){let s=t[n[0]];if(s!==void 0){this.morphTargetInfluences=[],this.morphTargetDictionary={};for(let r=0,o=s.length;r<o;r++){let a=s[r].name||String(r);this.morphTargetInfluences.push(0),this.morphTargetDictionary[a]=r}}}}};function Dl(i,e,t,n,s,r,o){let a=i.geometry.attributes.position;if(Kl.fromBufferAttribute(a,s),jl.fromBufferAttribute(a,r),t.distanceSqToSegment(Kl,jl,Mu,yp)>n)return;Mu.applyMatrix4(i.matrixWorld);let c=e.ray.origin.distanceTo(Mu);if(!(c<e.near||c>e.far))return{distance:c,point:yp.clone().applyMatrix4(i.matrixWorld),index:o,face:null,faceIndex:null,barycoord:null,object:i}}var qs=class extends qn{constructor(e=[],t,n,s,r,o,a,l,c,h,u,f){super(null,o,a,l,c,h,s,r,u,f),this.isCompressedTexture=!0,this.image={width:t,height:n},this.mipmaps=e,this.flipY=!1,this.generateMipmaps=!1}};var ya=class extends qn{constructor(e=[],t=_r,n,s,r,o,a,l,c,h){super(e,t,n,s,r,o,a,l,c,h),this.isCubeTexture=!0,this.flipY=!1}get images(){return this.image}set images(e){this.image=e}};var Ss=class extends qn{constructor(e,t,n=Fi,s,r,o,a=pn,l=pn,c,h=gs,u=1){if(h!==gs&&h!==As)throw new Error("THREE.DepthTexture: format must be either THREE.DepthFormat or THREE.DepthStencilFormat");let f={width:e,height:t,depth:u};super(f,s,r,o,a,l,h,n,c),this.isDepthTexture=!0,this.flipY=!1,this.generateMipmaps=!1,this.compareFunction=null}copy(e){return super.copy(e),this.source=new xs(Object.assign({},e.image)),this.compareFunction=e.compareFunction,this}toJSON(e){let t=super.toJSON(e);return t.compareFunction=this.compareFunction,t}},va=class extends Ss{constructor(e,t=Fi,n=_r,s,r,o=pn,a=pn,l,c=gs){let h={width:e,height:e,depth:1},u=[h,h,h,h,h,h];super(e,e,t,n,s,r,o,a,l,c),this.image=u,this.isCubeDepthTexture=!0,this.isCubeTexture=!0}get images(){return this.image}set images(e){this.image=e}},Ma=class extends qn{constructor(e=null){super(),this.sourceTexture=e,this.isExternalTexture=!0}copy(e){return super.copy(e),this.sourceTexture=e.sourceTexture,this}},ji=class i extends Jt{constructor(e=1,t=1,n=1,s=1,r=1,o=1){super(),this.type="BoxGeometry",this.parameters={width:e,height:t,depth:n,widthSegments:s,heightSegments:r,depthSegments:o};let a=this;s=Math.floor(s),r=Math.floor(r),o=Math.floor(o);let l=[],c=[],h=[],u=[],f=0,d=0;p("z","y","x",-1,-1,n,t,e,o,r,0),p("z","y","x",1,-1,n,t,-e,o,r,1),p("x","z","y",1,1,e,n,t,s,o,2),p("x","z","y",1,-1,e,n,-t,s,o,3),p("x","y","z",1,-1,e,t,n,s,r,4),p("x","y","z",-1,-1,e,t,-n,s,r,5),this.setIndex(l),this.setAttribute("position",new Lt(c,3)),this.setAttribute("normal",new Lt(h,3)),this.setAttribute("uv",new Lt(u,2));function p(x,m,g,v,E,_,R,A,y,b,U){let I=_/y,P=R/b,z=_/2,V=R/2,N=A/2,B=y+1,X=b+1,G=0,le=0,Y=new k;for(let K=0;K<X;K++){let ee=K*P-V;for(let fe=0;fe<B;fe++){let he=fe*I-z;Y[x]=he*v,Y[m]=ee*E,Y[g]=N,c.push(Y.x,Y.y,Y.z),Y[x]=0,Y[m]=0,Y[g]=A>0?1:-1,h.push(Y.x,Y.y,Y.z),u.push(fe/y),u.push(1-K/b),G+=1}}for(let K=0;K<b;K++)for(let ee=0;ee<y;ee++){let fe=f+ee+B*K,he=f+ee+B*(K+1),j=f+(ee+1)+B*(K+1),ge=f+(ee+1)+B*K;l.push(fe,he,ge),l.push(he,j,ge),le+=6}a.addGroup(d,le,U),d+=le,f+=G}}copy(e){return super.copy(e),this.parameters=Object.assign({},e.parameters),this}static fromJSON(e){return new i(e.width,e.height,e.depth,e.widthSegments,e.heightSegments,e.depthSegments)}},Sa=class i extends Jt{constructor(e=1,t=1,n=4,s=8,r=1){super(),this.type="CapsuleGeometry",this.parameters={radius:e,height:t,capSegments:n,radialSegments:s,heightSegments:r},t=Math.max(0,t),n=Math.max(1,Math.floor(n)),s=Math.max(3,Math.floor(s)),r=Math.max(1,Math.floor(r));let o=[],a=[],l=[],c=[],h=t/2,u=Math.PI/2*e,f=t,d=2*u+f,p=n*2+r,x=s+1,m=new k,g=new k;for(let v=0;v<=p;v++){let E=0,_=0,R=0,A=0;if(v<=n){let U=v/n,I=U*Math.PI/2;_=-h-e*Math.cos(I),R=e*Math.sin(I),A=-e*Math.cos(I),E=U*u}else if(v<=n+r){let U=(v-n)/r;_=-h+U*t,R=e,A=0,E=u+U*f}else{let U=(v-n-r)/n,I=U*Math.PI/2;_=h+e*Math.sin(I),R=e*Math.cos(I),A=e*Math.sin(I),E=u+f+U*u}let y=Math.max(0,Math.min(1,E/d)),b=0;v===0?b=.5/s:v===p&&(b=-.5/s);for(let U=0;U<=s;U++){let I=U/s,P=I*Math.PI*2,z=Math.sin(P),V=Math.cos(P);g.x=-R*V,g.y=_,g.z=R*z,a.push(g.x,g.y,g.z),m.set(-R*V,A,R*z),m.normalize(),l.push(m.x,m.y,m.z),c.push(I+b,y)}if(v>0){let U=(v-1)*x;for(let I=0;I<s;I++){let P=U+I,z=U+I+1,V=v*x+I,N=v*x+I+1;o.push(P,z,V),o.push(z,N,V)}}}this.setIndex(o),this.setAttribute("position",new Lt(a,3)),this.setAttribute("normal",new Lt(l,3)),this.setAttribute("uv",new Lt(c,2))}copy(e){return super.copy(e),this.parameters=Object.assign({},e.parameters),this}static fromJSON(e){return new i(e.radius,e.height,e.capSegments,e.radialSegments,e.heightSegments)}};var fr=class i extends Jt{constructor(e=1,t=1,n=1,s=32,r=1,o=!1,a=0,l=Math.PI*2){super(),this.type="CylinderGeometry",this.parameters={radiusTop:e,radiusBottom:t,height:n,radialSegments:s,heightSegments:r,openEnded:o,thetaStart:a,thetaLength:l};let c=this;s=Math.floor(s),r=Math.floor(r);let h=[],u=[],f=[],d=[],p=0,x=[],m=n/2,g=0;v(),o===!1&&(e>0&&E(!0),t>0&&E(!1)),this.setIndex(h),this.setAttribute("position",new Lt(u,3)),this.setAttribute("normal",new Lt(f,3)),this.setAttribute("uv",new Lt(d,2));function v(){let _=new k,R=new k,A=0,y=(t-e)/n;for(let b=0;b<=r;b++){let U=[],I=b/r,P=I*(t-e)+e;for(let z=0;z<=s;z++){let V=z/s,N=V*l+a,B=Math.sin(N),X=Math.cos(N);R.x=P*B,R.y=-I*n+m,R.z=P*X,u.push(R.x,R.y,R.z),_.set(B,y,X).normalize(),f.push(_.x,_.y,_.z),d.push(V,1-I),U.push(p++)}x.push(U)}for(let b=0;b<s;b++)for(let U=0;U<r;U++){let I=x[U][b],P=x[U+1][b],z=x[U+1][b+1],V=x[U][b+1];(e>0||U!==0)&&(h.push(I,P,V),A+=3),(t>0||U!==r-1)&&(h.push(P,z,V),A+=3)}c.addGroup(g,A,0),g+=A}function E(_){let R=p,A=new Ee,y=new k,b=0,U=_===!0?e:t,I=_===!0?1:-1;for(let z=1;z<=s;z++)u.push(0,m*I,0),f.push(0,I,0),d.push(.5,.5),p++;let P=p;for(let z=0;z<=s;z++){let N=z/s*l+a,B=Math.cos(N),X=Math.sin(N);y.x=U*X,y.y=m*I,y.z=U*B,u.push(y.x,y.y,y.z),f.push(0,I,0),A.x=B*.5+.5,A.y=X*.5*I+.5,d.push(A.x,A.y),p++}for(let z=0;z<s;z++){let V=R+z,N=P+z;_===!0?h.push(N,N+1,V):h.push(N+1,N,V),b+=3}c.addGroup(g,b,_===!0?1:2),g+=b}}copy(e){return super.copy(e),this.parameters=Object.assign({},e.parameters),this}static fromJSON(e){return new i(e.radiusTop,e.radiusBottom,e.height,e.radialSegments,e.heightSegments,e.openEnded,e.thetaStart,e.thetaLength)}},mo=class i extends fr{constructor(e=1,t=1,n=32,s=1,r=!1,o=0,a=Math.PI*2){super(0,e,t,n,s,r,o,a),this.type="ConeGeometry",this.parameters={radius:e,height:t,radialSegments:n,heightSegments:s,openEnded:r,thetaStart:o,thetaLength:a}}static fromJSON(e){return new i(e.radius,e.height,e.radialSegments,e.heightSegments,e.openEnded,e.thetaStart,e.thetaLength)}};var ri=class{constructor(){this.type="Curve",this.arcLengthDivisions=200,this.needsUpdate=!1,this.cacheArcLengths=null}getPoint(){tt("Curve: .getPoint() not implemented.")}getPointAt(e,t){let n=this.getUtoTmapping(e);return this.getPoint(n,t)}getPoints(e=5){let t=[];for(let n=0;n<=e;n++)t.push(this.getPoint(n/e));return t}getSpacedPoints(e=5){let t=[];for(let n=0;n<=e;n++)t.push(this.getPointAt(n/e));return t}getLength(){let e=this.getLengths();return e[e.length-1]}getLengths(e=this.arcLengthDivisions){if(this.cacheArcLengths&&this.cacheArcLengths.length===e+1&&!this.needsUpdate)return this.cacheArcLengths;this.needsUpdate=!1;let t=[],n,s=this.getPoint(0),r=0;t.push(0);for(let o=1;o<=e;o++)n=this.getPoint(o/e),r+=n.distanceTo(s),t.push(r),s=n;return this.cacheArcLengths=t,t}updateArcLengths(){this.needsUpdate=!0,this.getLengths()}getUtoTmapping(e,t=null){let n=this.getLengths(),s=0,r=n.length,o;t?o=t:o=e*n[r-1];let a=0,l=r-1,c;for(;a<=l;)if(s=Math.floor(a+(l-a)/2),c=n[s]-o,c<0)a=s+1;else if(c>0)l=s-1;else{l=s;break}if(s=l,n[s]===o)return s/(r-1);let h=n[s],f=n[s+1]-h,d=(o-h)/f;return(s+d)/(r-1)}getTangent(e,t){let s=e-1e-4,r=e+1e-4;s<0&&(s=0),r>1&&(r=1);let o=this.getPoint(s),a=this.getPoint(r),l=t||(o.isVector2?new Ee:new k);return l.copy(a).sub(o).normalize(),l}getTangentAt(e,t){let n=this.getUtoTmapping(e);return this.getTangent(n,t)}computeFrenetFrames(e,t=!1){let n=new k,s=[],r=[],o=[],a=new k,l=new Rt;for(let d=0;d<=e;d++){let p=d/e;s[d]=this.getTangentAt(p,new k)}r[0]=new k,o[0]=new k;let c=Number.MAX_VALUE,h=Math.abs(s[0].x),u=Math.abs(s[0].y),f=Math.abs(s[0].z);h<=c&&(c=h,n.set(1,0,0)),u<=c&&(c=u,n.set(0,1,0)),f<=c&&n.set(0,0,1),a.crossVectors(s[0],n).normalize(),r[0].crossVectors(s[0],a),o[0].crossVectors(s[0],r[0]);for(let d=1;d<=e;d++){if(r[d]=r[d-1].clone(),o[d]=o[d-1].clone(),a.crossVectors(s[d-1],s[d]),a.length()>Number.EPSILON){a.normalize();let p=Math.acos(vt(s[d-1].dot(s[d]),-1,1));r[d].applyMatrix4(l.makeRotationAxis(a,p))}o[d].crossVectors(s[d],r[d])}if(t===!0){let d=Math.acos(vt(r[0].dot(r[e]),-1,1));d/=e,s[0].dot(a.crossVectors(r[0],r[e]))>0&&(d=-d);for(let p=1;p<=e;p++)r[p].applyMatrix4(l.makeRotationAxis(s[p],d*p)),o[p].crossVectors(s[p],r[p])}return{tangents:s,normals:r,binormals:o}}clone(){return new this.constructor().copy(this)}copy(e){return this.arcLengthDivisions=e.arcLengthDivisions,this.cacheArcLengths=null,this}toJSON(){let e={metadata:{version:4.7,type:"Curve",generator:"Curve.toJSON"}};return e.arcLengthDivisions=this.arcLengthDivisions,e.type=this.type,e}fromJSON(e){return this.arcLengthDivisions=e.arcLengthDivisions,this.cacheArcLengths=null,this}},go=class extends ri{constructor(e=0,t=0,n=1,s=1,r=0,o=Math.PI*2,a=!1,l=0){super(),this.isEllipseCurve=!0,this.type="EllipseCurve",this.aX=e,this.aY=t,this.xRadius=n,this.yRadius=s,this.aStartAngle=r,this.aEndAngle=o,this.aClockwise=a,this.aRotation=l}getPoint(e,t=new Ee){let n=t,s=Math.PI*2,r=this.aEndAngle-this.aStartAngle,o=Math.abs(r)<Number.EPSILON;for(;r<0;)r+=s;for(;r>s;)r-=s;r<Number.EPSILON&&(o?r=0:r=s),this.aClockwise===!0&&!o&&(r===s?r=-s:r=r-s);let a=this.aStartAngle+e*r,l=this.aX+this.xRadius*Math.cos(a),c=this.aY+this.yRadius*Math.sin(a);if(this.aRotation!==0){let h=Math.cos(this.aRotation),u=Math.sin(this.aRotation),f=l-this.aX,d=c-this.aY;l=f*h-d*u+this.aX,c=f*u+d*h+this.aY}return n.set(l,c)}copy(e){return super.copy(e),this.aX=e.aX,this.aY=e.aY,this.xRadius=e.xRadius,this.yRadius=e.yRadius,this.aStartAngle=e.aStartAngle,this.aEndAngle=e.aEndAngle,this.aClockwise=e.aClockwise,this.aRotation=e.aRotation,this}toJSON(){let e=super.toJSON();return e.aX=this.aX,e.aY=this.aY,e.xRadius=this.xRadius,e.yRadius=this.yRadius,e.aStartAngle=this.aStartAngle,e.aEndAngle=this.aEndAngle,e.aClockwise=this.aClockwise,e.aRotation=this.aRotation,e}fromJSON(e){return super.fromJSON(e),this.aX=e.aX,this.aY=e.aY,this.xRadius=e.xRadius,this.yRadius=e.yRadius,this.aStartAngle=e.aStartAngle,this.aEndAngle=e.aEndAngle,this.aClockwise=e.aClockwise,this.aRotation=e.aRotation,this}},Ql=class extends go{constructor(e,t,n,s,r,o){super(e,t,n,n,s,r,o),this.isArcCurve=!0,this.type="ArcCurve"}};function df(){let i=0,e=0,t=0,n=0;function s(r,o,a,l){i=r,e=a,t=-3*r+3*o-2*a-l,n=2*r-2*o+a+l}return{initCatmullRom:function(r,o,a,l,c){s(o,a,c*(a-r),c*(l-o))},initNonuniformCatmullRom:function(r,o,a,l,c,h,u){let f=(o-r)/c-(a-r)/(c+h)+(a-o)/h,d=(a-o)/h-(l-o)/(h+u)+(l-a)/u;f*=h,d*=h,s(o,a,f,d)},calc:function(r){let o=r*r,a=o*r;return i+e*r+t*o+n*a}}}var vp=new k,Mp=new k,Su=new df,bu=new df,wu=new df,ec=class extends ri{constructor(e=[],t=!1,n="centripetal",s=.5){super(),this.isCatmullRomCurve3=!0,this.type="CatmullRomCurve3",this.points=e,this.closed=t,this.curveType=n,this.tension=s}getPoint(e,t=new k){let n=t,s=this.points,r=s.length,o=(r-(this.closed?0:1))*e,a=Math.floor(o),l=o-a;this.closed?a+=a>0?0:(Math.floor(Math.abs(a)/r)+1)*r:l===0&&a===r-1&&(a=r-2,l=1);let c,h;this.closed||a>0?c=s[(a-1)%r]:(Mp.subVectors(s[0],s[1]).add(s[0]),c=Mp);let u=s[a%r],f=s[(a+1)%r];if(this.closed||a+2<r?h=s[(a+2)%r]:(vp.subVectors(s[r-1],s[r-2]).add(s[r-1]),h=vp),this.curveType==="centripetal"||this.curveType==="chordal"){let d=this.curveType==="chordal"?.5:.25,p=Math.pow(c.distanceToSquared(u),d),x=Math.pow(u.distanceToSquared(f),d),m=Math.pow(f.distanceToSquared(h),d);x<1e-4&&(x=1),p<1e-4&&(p=x),m<1e-4&&(m=x),Su.initNonuniformCatmullRom(c.x,u.x,f.x,h.x,p,x,m),bu.initNonuniformCatmullRom(c.y,u.y,f.y,h.y,p,x,m),wu.initNonuniformCatmullRom(c.z,u.z,f.z,h.z,p,x,m)}else this.curveType==="catmullrom"&&(Su.initCatmullRom(c.x,u.x,f.x,h.x,this.tension),bu.initCatmullRom(c.y,u.y,f.y,h.y,this.tension),wu.initCatmullRom(c.z,u.z,f.z,h.z,this.tension));return n.set(Su.calc(l),bu.calc(l),wu.calc(l)),n}copy(e){super.copy(e),this.points=[];for(let t=0,n=e.points.length;t<n;t++){let s=e.points[t];this.points.push(s.clone())}return this.closed=e.closed,this.curveType=e.curveType,this.tension=e.tension,this}toJSON(){let e=super.toJSON();e.points=[];for(let t=0,n=this.points.length;t<n;t++){let s=this.points[t];e.points.push(s.toArray())}return e.closed=this.closed,e.curveType=this.curveType,e.tension=this.tension,e}fromJSON(e){super.fromJSON(e),this.points=[];for(let t=0,n=e.points.length;t<n;t++){let s=e.points[t];this.points.push(new k().fromArray(s))}return this.closed=e.closed,this.curveType=e.curveType,this.tension=e.tension,this}};function Sp(i,e,t,n,s){let r=(n-e)*.5,o=(s-t)*.5,a=i*i,l=i*a;return(2*t-2*n+r+o)*l+(-3*t+3*n-2*r-o)*a+r*i+t}function R_(i,e){let t=1-i;return t*t*e}function C_(i,e){return 2*(1-i)*i*e}function I_(i,e){return i*i*e}function ha(i,e,t,n){return R_(i,e)+C_(i,t)+I_(i,n)}function P_(i,e){let t=1-i;return t*t*t*e}function L_(i,e){let t=1-i;return 3*t*t*i*e}function N_(i,e){return 3*(1-i)*i*i*e}function D_(i,e){return i*i*i*e}function ua(i,e,t,n,s){return P_(i,e)+L_(i,t)+N_(i,n)+D_(i,s)}var ba=class extends ri{constructor(e=new Ee,t=new Ee,n=new Ee,s=new Ee){super(),this.isCubicBezierCurve=!0,this.type="CubicBezierCurve",this.v0=e,this.v1=t,this.v2=n,this.v3=s}getPoint(e,t=new Ee){let n=t,s=this.v0,r=this.v1,o=this.v2,a=this.v3;return n.set(ua(e,s.x,r.x,o.x,a.x),ua(e,s.y,r.y,o.y,a.y)),n}copy(e){return super.copy(e),this.v0.copy(e.v0),this.v1.copy(e.v1),this.v2.copy(e.v2),this.v3.copy(e.v3),this}toJSON(){let e=super.toJSON();return e.v0=this.v0.toArray(),e.v1=this.v1.toArray(),e.v2=this.v2.toArray(),e.v3=this.v3.toArray(),e}fromJSON(e){return super.fromJSON(e),this.v0.fromArray(e.v0),this.v1.fromArray(e.v1),this.v2.fromArray(e.v2),this.v3.fromArray(e.v3),this}},tc=class extends ri{constructor(e=new k,t=new k,n=new k,s=new k){super(),this.isCubicBezierCurve3=!0,this.type="CubicBezierCurve3",this.v0=e,this.v1=t,this.v2=n,this.v3=s}getPoint(e,t=new k){let n=t,s=this.v0,r=this.v1,o=this.v2,a=this.v3;return n.set(ua(e,s.x,r.x,o.x,a.x),ua(e,s.y,r.y,o.y,a.y),ua(e,s.z,r.z,o.z,a.z)),n}copy(e){return super.copy(e),this.v0.copy(e.v0),this.v1.copy(e.v1),this.v2.copy(e.v2),this.v3.copy(e.v3),this}toJSON(){let e=super.toJSON();return e.v0=this.v0.toArray(),e.v1=this.v1.toArray(),e.v2=this.v2.toArray(),e.v3=this.v3.toArray(),e}fromJSON(e){return super.fromJSON(e),this.v0.fromArray(e.v0),this.v1.fromArray(e.v1),this.v2.fromArray(e.v2),this.v3.fromArray(e.v3),this}},wa=class extends ri{constructor(e=new Ee,t=new Ee){super(),this.isLineCurve=!0,this.type="LineCurve",this.v1=e,this.v2=t}getPoint(e,t=new Ee){let n=t;return e===1?n.copy(this.v2):(n.copy(this.v2).sub(this.v1),n.multiplyScalar(e).add(this.v1)),n}getPointAt(e,t){return this.getPoint(e,t)}getTangent(e,t=new Ee){return t.subVectors(this.v2,this.v1).normalize()}getTangentAt(e,t){return this.getTangent(e,t)}copy(e){return super.copy(e),this.v1.copy(e.v1),this.v2.copy(e.v2),this}toJSON(){let e=super.toJSON();return e.v1=this.v1.toArray(),e.v2=this.v2.toArray(),e}fromJSON(e){return super.fromJSON(e),this.v1.fromArray(e.v1),this.v2.fromArray(e.v2),this}},nc=class extends ri{constructor(e=new k,t=new k){super(),this.isLineCurve3=!0,this.type="LineCurve3",this.v1=e,this.v2=t}getPoint(e,t=new k){let n=t;return e===1?n.copy(this.v2):(n.copy(this.v2).sub(this.v1),n.multiplyScalar(e).add(this.v1)),n}getPointAt(e,t){return this.getPoint(e,t)}getTangent(e,t=new k){return t.subVectors(this.v2,this.v1).normalize()}getTangentAt(e,t){return this.getTangent(e,t)}copy(e){return super.copy(e),this.v1.copy(e.v1),this.v2.copy(e.v2),this}toJSON(){let e=super.toJSON();return e.v1=this.v1.toArray(),e.v2=this.v2.toArray(),e}fromJSON(e){return super.fromJSON(e),this.v1.fromArray(e.v1),this.v2.fromArray(e.v2),this}},Aa=class extends ri{constructor(e=new Ee,t=new Ee,n=new Ee){super(),this.isQuadraticBezierCurve=!0,this.type="QuadraticBezierCurve",this.v0=e,this.v1=t,this.v2=n}getPoint(e,t=new Ee){let n=t,s=this.v0,r=this.v1,o=this.v2;return n.set(ha(e,s.x,r.x,o.x),ha(e,s.y,r.y,o.y)),n}copy(e){return super.copy(e),this.v0.copy(e.v0),this.v1.copy(e.v1),this.v2.copy(e.v2),this}toJSON(){let e=super.toJSON();return e.v0=this.v0.toArray(),e.v1=this.v1.toArray(),e.v2=this.v2.toArray(),e}fromJSON(e){return super.fromJSON(e),this.v0.fromArray(e.v0),this.v1.fromArray(e.v1),this.v2.fromArray(e.v2),this}},ic=class extends ri{constructor(e=new k,t=new k,n=new k){super(),this.isQuadraticBezierCurve3=!0,this.type="QuadraticBezierCurve3",this.v0=e,this.v1=t,this.v2=n}getPoint(e,t=new k){let n=t,s=this.v0,r=this.v1,o=this.v2;return n.set(ha(e,s.x,r.x,o.x),ha(e,s.y,r.y,o.y),ha(e,s.z,r.z,o.z)),n}copy(e){return super.copy(e),this.v0.copy(e.v0),this.v1.copy(e.v1),this.v2.copy(e.v2),this}toJSON(){let e=super.toJSON();return e.v0=this.v0.toArray(),e.v1=this.v1.toArray(),e.v2=this.v2.toArray(),e}fromJSON(e){return super.fromJSON(e),this.v0.fromArray(e.v0),this.v1.fromArray(e.v1),this.v2.fromArray(e.v2),this}},Ta=class extends ri{constructor(e=[]){super(),this.isSplineCurve=!0,this.type="SplineCurve",this.points=e}getPoint(e,t=new Ee){let n=t,s=this.points,r=(s.length-1)*e,o=Math.floor(r),a=r-o,l=s[o===0?o:o-1],c=s[o],h=s[o>s.length-2?s.length-1:o+1],u=s[o>s.length-3?s.length-1:o+2];return n.set(Sp(a,l.x,c.x,h.x,u.x),Sp(a,l.y,c.y,h.y,u.y)),n}copy(e){super.copy(e),this.points=[];for(let t=0,n=e.points.length;t<n;t++){let s=e.points[t];this.points.push(s.clone())}return this}toJSON(){let e=super.toJSON();e.points=[];for(let t=0,n=this.points.length;t<n;t++){let s=this.points[t];e.points.push(s.toArray())}return e}fromJSON(e){super.fromJSON(e),this.points=[];for(let t=0,n=e.points.length;t<n;t++){let s=e.points[t];this.points.push(new Ee().fromArray(s))}return this}},Iu=Object.freeze({__proto__:null,ArcCurve:Ql,CatmullRomCurve3:ec,CubicBezierCurve:ba,CubicBezierCurve3:tc,EllipseCurve:go,LineCurve:wa,LineCurve3:nc,QuadraticBezierCurve:Aa,QuadraticBezierCurve3:ic,SplineCurve:Ta}),sc=class extends ri{constructor(){super(),this.type="CurvePath",this.curves=[],this.autoClose=!1,this.cacheLengths=null}add(e){this.curves.push(e)}closePath(){let e=this.curves[0].getPoint(0),t=this.curves[this.curves.length-1].getPoint(1);if(!e.equals(t)){let n=e.isVector2===!0?"LineCurve":"LineCurve3";this.curves.push(new Iu[n](t,e))}return this}getPoint(e,t){let n=e*this.getLength(),s=this.getCurveLengths(),r=0;for(;r<s.length;){if(s[r]>=n){let o=s[r]-n,a=this.curves[r],l=a.getLength(),c=l===0?0:1-o/l;return a.getPointAt(c,t)}r++}return null}getLength(){let e=this.getCurveLengths();return e[e.length-1]}updateArcLengths(){this.needsUpdate=!0,this.cacheLengths=null,this.getCurveLengths()}getCurveLengths(){if(this.cacheLengths&&this.cacheLengths.length===this.curves.length)return this.cacheLengths;let e=[],t=0;for(let n=0,s=this.curves.length;n<s;n++)t+=this.curves[n].getLength(),e.push(t);return this.cacheLengths=e,e}getSpacedPoints(e=40){let t=[];for(let n=0;n<=e;n++)t.push(this.getPoint(n/e));return this.autoClose&&t.push(t[0]),t}getPoints(e=12){let t=[],n;for(let s=0,r=this.curves;s<r.length;s++){let o=r[s],a=o.isEllipseCurve?e*2:o.isLineCurve||o.isLineCurve3?1:o.isSplineCurve?e*o.points.length:e,l=o.getPoints(a);for(let c=0;c<l.length;c++){let h=l[c];n&&n.equals(h)||(t.push(h),n=h)}}return this.autoClose&&t.length>1&&!t[t.length-1].equals(t[0])&&t.push(t[0]),t}copy(e){super.copy(e),this.curves=[];for(let t=0,n=e.curves.length;t<n;t++){let s=e.curves[t];this.curves.push(s.clone())}return this.autoClose=e.autoClose,this.cacheLengths=null,this}toJSON(){let e=super.toJSON();e.autoClose=this.autoClose,e.curves=[];for(let t=0,n=this.curves.length;t<n;t++){let s=this.curves[t];e.curves.push(s.toJSON())}return e}fromJSON(e){super.fromJSON(e),this.autoClose=e.autoClose,this.curves=[];for(let t=0,n=e.curves.length;t<n;t++){let s=e.curves[t];this.curves.push(new Iu[s.type]().fromJSON(s))}return this.cacheLengths=null,this}},Ea=class extends sc{constructor(e){super(),this.type="Path",this.currentPoint=new Ee,e&&this.setFromPoints(e)}setFromPoints(e){this.moveTo(e[0].x,e[0].y);for(let t=1,n=e.length;t<n;t++)this.lineTo(e[t].x,e[t].y);return this}moveTo(e,t){return this.currentPoint.set(e,t),this}lineTo(e,t){let n=new wa(this.currentPoint.clone(),new Ee(e,t));return this.curves.push(n),this.currentPoint.set(e,t),this}quadraticCurveTo(e,t,n,s){let r=new Aa(this.currentPoint.clone(),new Ee(e,t),new Ee(n,s));return this.curves.push(r),this.currentPoint.set(n,s),this}bezierCurveTo(e,t,n,s,r,o){let a=new ba(this.currentPoint.clone(),new Ee(e,t),new Ee(n,s),new Ee(r,o));return this.curves.push(a),this.currentPoint.set(r,o),this}splineThru(e){let t=[this.currentPoint.clone()].concat(e),n=new Ta(t);return this.curves.push(n),this.currentPoint.copy(e[e.length-1]),this}arc(e,t,n,s,r,o){let a=this.currentPoint.x,l=this.currentPoint.y;return this.absarc(e+a,t+l,n,s,r,o),this}absarc(e,t,n,s,r,o){return this.absellipse(e,t,n,n,s,r,o),this}ellipse(e,t,n,s,r,o,a,l){let c=this.currentPoint.x,h=this.currentPoint.y;return this.absellipse(e+c,t+h,n,s,r,o,a,l),this}absellipse(e,t,n,s,r,o,a,l){let c=new go(e,t,n,s,r,o,a,l);if(this.curves.length>0){let u=c.getPoint(0);u.equals(this.currentPoint)||this.lineTo(u.x,u.y)}this.curves.push(c);let h=c.getPoint(1);return this.currentPoint.copy(h),this}copy(e){return super.copy(e),this.currentPoint.copy(e.currentPoint),this}toJSON(){let e=super.toJSON();return e.currentPoint=this.currentPoint.toArray(),e}fromJSON(e){return super.fromJSON(e),this.currentPoint.fromArray(e.currentPoint),this}},xo=class extends Ea{constructor(e){super(e),this.uuid=Ks(),this.type="Shape",this.holes=[]}getPointsHoles(e){let t=[];for(let n=0,s=this.holes.length;n<s;n++)t[n]=this.holes[n].getPoints(e);return t}extractPoints(e){return{shape:this.getPoints(e),holes:this.getPointsHoles(e)}}copy(e){super.copy(e),this.holes=[];for(let t=0,n=e.holes.length;t<n;t++){let s=e.holes[t];this.holes.push(s.clone())}return this}toJSON(){let e=super.toJSON();e.uuid=this.uuid,e.holes=[];for(let t=0,n=this.holes.length;t<n;t++){let s=this.holes[t];e.holes.push(s.toJSON())}return e}fromJSON(e){super.fromJSON(e),this.uuid=e.uuid,this.holes=[];for(let t=0,n=e.holes.length;t<n;t++){let s=e.holes[t];this.holes.push(new Ea().fromJSON(s))}return this}};function U_(i,e,t=2){let n=e&&e.length,s=n?e[0]*t:i.length,r=Sm(i,0,s,t,!0),o=[];if(!r||r.next===r.prev)return o;let a,l,c;if(n&&(r=k_(i,e,r,t)),i.length>80*t){a=i[0],l=i[1];let h=a,u=l;for(let f=t;f<s;f+=t){let d=i[f],p=i[f+1];d<a&&(a=d),p<l&&(l=p),d>h&&(h=d),p>u&&(u=p)}c=Math.max(h-a,u-l),c=c!==0?32767/c:0}return Ra(r,o,t,a,l,c,0),o}function Sm(i,e,t,n,s){let r;if(s===K_(i,e,t,n)>0)for(let o=e;o<t;o+=n)r=bp(o/n|0,i[o],i[o+1],r);else for(let o=t-n;o>=e;o-=n)r=bp(o/n|0,i[o],i[o+1],r);return r&&_o(r,r.next)&&(Ia(r),r=r.next),r}function dr(i,e){if(!i)return i;e||(e=i);let t=i,n;do if(n=!1,!t.steiner&&(_o(t,t.next)||tn(t.prev,t,t.next)===0)){if(Ia(t),t=e=t.prev,t===t.next)break;n=!0}else t=t.next;while(n||t!==e);return e}function Ra(i,e,t,n,s,r,o){if(!i)return;!o&&r&&X_(i,n,s,r);let a=i;for(;i.prev!==i.next;){let l=i.prev,c=i.next;if(r?O_(i,n,s,r):F_(i)){e.push(l.i,i.i,c.i),Ia(i),i=c.next,a=c.next;continue}if(i=c,i===a){o?o===1?(i=B_(dr(i),e),Ra(i,e,t,n,s,r,2)):o===2&&z_(i,e,t,n,s,r):Ra(dr(i),e,t,n,s,r,1);break}}}function F_(i){let e=i.prev,t=i,n=i.next;if(tn(e,t,n)>=0)return!1;let s=e.x,r=t.x,o=n.x,a=e.y,l=t.y,c=n.y,h=Math.min(s,r,o),u=Math.min(a,l,c),f=Math.max(s,r,o),d=Math.max(a,l,c),p=n.next;for(;p!==e;){if(p.x>=h&&p.x<=f&&p.y>=u&&p.y<=d&&ra(s,a,r,l,o,c,p.x,p.y)&&tn(p.prev,p,p.next)>=0)return!1;p=p.next}return!0}function O_(i,e,t,n){let s=i.prev,r=i,o=i.next;if(tn(s,r,o)>=0)return!1;let a=s.x,l=r.x,c=o.x,h=s.y,u=r.y,f=o.y,d=Math.min(a,l,c),p=Math.min(h,u,f),x=Math.max(a,l,c),m=Math.max(h,u,f),g=Pu(d,p,e,t,n),v=Pu(x,m,e,t,n),E=i.prevZ,_=i.nextZ;for(;E&&E.z>=g&&_&&_.z<=v;){if(E.x>=d&&E.x<=x&&E.y>=p&&E.y<=m&&E!==s&&E!==o&&ra(a,h,l,u,c,f,E.x,E.y)&&tn(E.prev,E,E.next)>=0||(E=E.prevZ,_.x>=d&&_.x<=x&&_.y>=p&&_.y<=m&&_!==s&&_!==o&&ra(a,h,l,u,c,f,_.x,_.y)&&tn(_.prev,_,_.next)>=0))return!1;_=_.nextZ}for(;E&&E.z>=g;){if(E.x>=d&&E.x<=x&&E.y>=p&&E.y<=m&&E!==s&&E!==o&&ra(a,h,l,u,c,f,E.x,E.y)&&tn(E.prev,E,E.next)>=0)return!1;E=E.prevZ}for(;_&&_.z<=v;){if(_.x>=d&&_.x<=x&&_.y>=p&&_.y<=m&&_!==s&&_!==o&&ra(a,h,l,u,c,f,_.x,_.y)&&tn(_.prev,_,_.next)>=0)return!1;_=_.nextZ}return!0}function B_(i,e){let t=i;do{let n=t.prev,s=t.next.next;!_o(n,s)&&wm(n,t,t.next,s)&&Ca(n,s)&&Ca(s,n)&&(e.push(n.i,t.i,s.i),Ia(t),Ia(t.next),t=i=s),t=t.next}while(t!==i);return dr(t)}function z_(i,e,t,n,s,r){let o=i;do{let a=o.next.next;for(;a!==o.prev;){if(o.i!==a.i&&$_(o,a)){let l=Am(o,a);o=dr(o,o.next),l=dr(l,l.next),Ra(o,e,t,n,s,r,0),Ra(l,e,t,n,s,r,0);return}a=a.next}o=o.next}while(o!==i)}function k_(i,e,t,n){let s=[];for(let r=0,o=e.length;r<o;r++){let a=e[r]*n,l=r<o-1?e[r+1]*n:i.length,c=Sm(i,a,l,n,!1);c===c.next&&(c.steiner=!0),s.push(Y_(c))}s.sort(G_);for(let r=0;r<s.length;r++)t=V_(s[r],t);return t}function G_(i,e){let t=i.x-e.x;if(t===0&&(t=i.y-e.y,t===0)){let n=(i.next.y-i.y)/(i.next.x-i.x),s=(e.next.y-e.y)/(e.next.x-e.x);t=n-s}return t}function V_(i,e){let t=H_(i,e);if(!t)return e;let n=Am(t,i);return dr(n,n.next),dr(t,t.next)}function H_(i,e){let t=e,n=i.x,s=i.y,r=-1/0,o;if(_o(i,t))return t;do{if(_o(i,t.next))return t.next;if(s<=t.y&&s>=t.next.y&&t.next.y!==t.y){let u=t.x+(s-t.y)*(t.next.x-t.x)/(t.next.y-t.y);if(u<=n&&u>r&&(r=u,o=t.x<t.next.x?t:t.next,u===n))return o}t=t.next}while(t!==e);if(!o)return null;let a=o,l=o.x,c=o.y,h=1/0;t=o;do{if(n>=t.x&&t.x>=l&&n!==t.x&&bm(s<c?n:r,s,l,c,s<c?r:n,s,t.x,t.y)){let u=Math.abs(s-t.y)/(n-t.x);Ca(t,i)&&(u<h||u===h&&(t.x>o.x||t.x===o.x&&W_(o,t)))&&(o=t,h=u)}t=t.next}while(t!==a);return o}function W_(i,e){return tn(i.prev,i,e.prev)<0&&tn(e.next,i,i.next)<0}function X_(i,e,t,n){let s=i;do s.z===0&&(s.z=Pu(s.x,s.y,e,t,n)),s.prevZ=s.prev,s.nextZ=s.next,s=s.next;while(s!==i);s.prevZ.nextZ=null,s.prevZ=null,q_(s)}function q_(i){let e,t=1;do{let n=i,s;i=null;let r=null;for(e=0;n;){e++;let o=n,a=0;for(let c=0;c<t&&(a++,o=o.nextZ,!!o);c++);let l=t;for(;a>0||l>0&&o;)a!==0&&(l===0||!o||n.z<=o.z)?(s=n,n=n.nextZ,a--):(s=o,o=o.nextZ,l--),r?r.nextZ=s:i=s,s.prevZ=r,r=s;n=o}r.nextZ=null,t*=2}while(e>1);return i}function Pu(i,e,t,n,s){return i=(i-t)*s|0,e=(e-n)*s|0,i=(i|i<<8)&16711935,i=(i|i<<4)&252645135,i=(i|i<<2)&858993459,i=(i|i<<1)&1431655765,e=(e|e<<8)&16711935,e=(e|e<<4)&252645135,e=(e|e<<2)&858993459,e=(e|e<<1)&1431655765,i|e<<1}function Y_(i){let e=i,t=i;do(e.x<t.x||e.x===t.x&&e.y<t.y)&&(t=e),e=e.next;while(e!==i);return t}function bm(i,e,t,n,s,r,o,a){return(s-o)*(e-a)>=(i-o)*(r-a)&&(i-o)*(n-a)>=(t-o)*(e-a)&&(t-o)*(r-a)>=(s-o)*(n-a)}function ra(i,e,t,n,s,r,o,a){return!(i===o&&e===a)&&bm(i,e,t,n,s,r,o,a)}function $_(i,e){return i.next.i!==e.i&&i.prev.i!==e.i&&!Z_(i,e)&&(Ca(i,e)&&Ca(e,i)&&J_(i,e)&&(tn(i.prev,i,e.prev)||tn(i,e.prev,e))||_o(i,e)&&tn(i.prev,i,i.next)>0&&tn(e.prev,e,e.next)>0)}function tn(i,e,t){return(e.y-i.y)*(t.x-e.x)-(e.x-i.x)*(t.y-e.y)}function _o(i,e){return i.x===e.x&&i.y===e.y}function wm(i,e,t,n){let s=Fl(tn(i,e,t)),r=Fl(tn(i,e,n)),o=Fl(tn(t,n,i)),a=Fl(tn(t,n,e));return!!(s!==r&&o!==a||s===0&&Ul(i,t,e)||r===0&&Ul(i,n,e)||o===0&&Ul(t,i,n)||a===0&&Ul(t,e,n))}function Ul(i,e,t){return e.x<=Math.max(i.x,t.x)&&e.x>=Math.min(i.x,t.x)&&e.y<=Math.max(i.y,t.y)&&e.y>=Math.min(i.y,t.y)}function Fl(i){return i>0?1:i<0?-1:0}function Z_(i,e){let t=i;do{if(t.i!==i.i&&t.next.i!==i.i&&t.i!==e.i&&t.next.i!==e.i&&wm(t,t.next,i,e))return!0;t=t.next}while(t!==i);return!1}function Ca(i,e){return tn(i.prev,i,i.next)<0?tn(i,e,i.next)>=0&&tn(i,i.prev,e)>=0:tn(i,e,i.prev)<0||tn(i,i.next,e)<0}function J_(i,e){let t=i,n=!1,s=(i.x+e.x)/2,r=(i.y+e.y)/2;do t.y>r!=t.next.y>r&&t.next.y!==t.y&&s<(t.next.x-t.x)*(r-t.y)/(t.next.y-t.y)+t.x&&(n=!n),t=t.next;while(t!==i);return n}function Am(i,e){let t=Lu(i.i,i.x,i.y),n=Lu(e.i,e.x,e.y),s=i.next,r=e.prev;return i.next=e,e.prev=i,t.next=s,s.prev=t,n.next=t,t.prev=n,r.next=n,n.prev=r,n}function bp(i,e,t,n){let s=Lu(i,e,t);return n?(s.next=n.next,s.prev=n,n.next.prev=s,n.next=s):(s.prev=s,s.next=s),s}function Ia(i){i.next.prev=i.prev,i.prev.next=i.next,i.prevZ&&(i.prevZ.nextZ=i.nextZ),i.nextZ&&(i.nextZ.prevZ=i.prevZ)}function Lu(i,e,t){return{i,x:e,y:t,prev:null,next:null,z:0,prevZ:null,nextZ:null,steiner:!1}}function K_(i,e,t,n){let s=0;for(let r=e,o=t-n;r<t;r+=n)s+=(i[o]-i[r])*(i[r+1]+i[o+1]),o=r;return s}var Nu=class{static triangulate(e,t,n=2){return U_(e,t,n)}},cr=class i{static area(e){let t=e.length,n=0;for(let s=t-1,r=0;r<t;s=r++)n+=e[s].x*e[r].y-e[r].x*e[s].y;return n*.5}static isClockWise(e){return i.area(e)<0}static triangulateShape(e,t){let n=[],s=[],r=[];wp(e),Ap(n,e);let o=e.length;t.forEach(wp);for(let l=0;l<t.length;l++)s.push(o),o+=t[l].length,Ap(n,t[l]);let a=Nu.triangulate(n,s);for(let l=0;l<a.length;l+=3)r.push(a.slice(l,l+3));return r}};function wp(i){let e=i.length;e>2&&i[e-1].equals(i[0])&&i.pop()}function Ap(i,e){for(let t=0;t<e.length;t++)i.push(e[t].x),i.push(e[t].y)}var Pa=class i extends Jt{constructor(e=new xo([new Ee(.5,.5),new Ee(-.5,.5),new Ee(-.5,-.5),new Ee(.5,-.5)]),t={}){super(),this.type="ExtrudeGeometry",this.parameters={shapes:e,options:t},e=Array.isArray(e)?e:[e];let n=this,s=[],r=[];for(let a=0,l=e.length;a<l;a++){let c=e[a];o(c)}this.setAttribute("position",new Lt(s,3)),this.setAttribute("uv",new Lt(r,2)),this.computeVertexNormals();function o(a){let l=[],c=t.curveSegments!==void 0?t.curveSegments:12,h=t.steps!==void 0?t.steps:1,u=t.depth!==void 0?t.depth:1,f=t.bevelEnabled!==void 0?t.bevelEnabled:!0,d=t.bevelThickness!==void 0?t.bevelThickness:.2,p=t.bevelSize!==void 0?t.bevelSize:d-.1,x=t.bevelOffset!==void 0?t.bevelOffset:0,m=t.bevelSegments!==void 0?t.bevelSegments:3,g=t.extrudePath,v=t.UVGenerator!==void 0?t.UVGenerator:j_,E,_=!1,R,A,y,b;if(g){E=g.getSpacedPoints(h),_=!0,f=!1;let re=g.isCatmullRomCurve3?g.closed:!1;R=g.computeFrenetFrames(h,re),A=new k,y=new k,b=new k}f||(m=0,d=0,p=0,x=0);let U=a.extractPoints(c),I=U.shape,P=U.holes;if(!cr.isClockWise(I)){I=I.reverse();for(let re=0,ye=P.length;re<ye;re++){let xe=P[re];cr.isClockWise(xe)&&(P[re]=xe.reverse())}}function V(re){let xe=10000000000000001e-36,Be=re[0];for(let Ne=1;Ne<=re.length;Ne++){let nt=Ne%re.length,ze=re[nt],mt=ze.x-Be.x,ft=ze.y-Be.y,xt=mt*mt+ft*ft,F=Math.max(Math.abs(ze.x),Math.abs(ze.y),Math.abs(Be.x),Math.abs(Be.y)),Me=xe*F*F;if(xt<=Me){re.splice(nt,1),Ne--;continue}Be=ze}}V(I),P.forEach(V);let N=P.length,B=I;for(let re=0;re<N;re++){let ye=P[re];I=I.concat(ye)}function X(re,ye,xe){return ye||at("ExtrudeGeometry: vec does not exist"),re.clone().addScaledVector(ye,xe)}let G=I.length;function le(re,ye,xe){let Be,Ne,nt,ze=re.x-ye.x,mt=re.y-ye.y,ft=xe.x-re.x,xt=xe.y-re.y,F=ze*ze+mt*mt,Me=ze*xt-mt*ft;if(Math.abs(Me)>Number.EPSILON){let qe=Math.sqrt(F),ht=Math.sqrt(ft*ft+xt*xt),we=ye.x-mt/qe,Dt=ye.y+ze/qe,Ze=xe.x-xt/ht,et=xe.y+ft/ht,C=((Ze-we)*xt-(et-Dt)*ft)/(ze*xt-mt*ft);Be=we+ze*C-re.x,Ne=Dt+mt*C-re.y;let S=Be*Be+Ne*Ne;if(S<=2)return new Ee(Be,Ne);nt=Math.sqrt(S/2)}else{let qe=!1;ze>Number.EPSILON?ft>Number.EPSILON&&(qe=!0):ze<-Number.EPSILON?ft<-Number.EPSILON&&(qe=!0):Math.sign(mt)===Math.sign(xt)&&(qe=!0),qe?(Be=-mt,Ne=ze,nt=Math.sqrt(F)):(Be=ze,Ne=mt,nt=Math.sqrt(F/2))}return new Ee(Be/nt,Ne/nt)}let Y=[];for(let re=0,ye=B.length,xe=ye-1,Be=re+1;re<ye;re++,xe++,Be++)xe===ye&&(xe=0),Be===ye&&(Be=0),Y[re]=le(B[re],B[xe],B[Be]);let K=[],ee,fe=Y.concat();for(let re=0,ye=N;re<ye;re++){let xe=P[re];ee=[];for(let Be=0,Ne=xe.length,nt=Ne-1,ze=Be+1;Be<Ne;Be++,nt++,ze++)nt===Ne&&(nt=0),ze===Ne&&(ze=0),ee[Be]=le(xe[Be],xe[nt],xe[ze]);K.push(ee),fe=fe.concat(ee)}let he;if(m===0)he=cr.triangulateShape(B,P);else{let re=[],ye=[];for(let xe=0;xe<m;xe++){let Be=xe/m,Ne=d*Math.cos(Be*Math.PI/2),nt=p*Math.sin(Be*Math.PI/2)+x;for(let ze=0,mt=B.length;ze<mt;ze++){let ft=X(B[ze],Y[ze],nt);He(ft.x,ft.y,-Ne),Be===0&&re.push(ft)}for(let ze=0,mt=N;ze<mt;ze++){let ft=P[ze];ee=K[ze];let xt=[];for(let F=0,Me=ft.length;F<Me;F++){let qe=X(ft[F],ee[F],nt);He(qe.x,qe.y,-Ne),Be===0&&xt.push(qe)}Be===0&&ye.push(xt)}}he=cr.triangulateShape(re,ye)}let j=he.length,ge=p+x;for(let re=0;re<G;re++){let ye=f?X(I[re],fe[re],ge):I[re];_?(y.copy(R.normals[0]).multiplyScalar(ye.x),A.copy(R.binormals[0]).multiplyScalar(ye.y),b.copy(E[0]).add(y).add(A),He(b.x,b.y,b.z)):He(ye.x,ye.y,0)}for(let re=1;re<=h;re++)for(let ye=0;ye<G;ye++){let xe=f?X(I[ye],fe[ye],ge):I[ye];_?(y.copy(R.normals[re]).multiplyScalar(xe.x),A.copy(R.binormals[re]).multiplyScalar(xe.y),b.copy(E[re]).add(y).add(A),He(b.x,b.y,b.z)):He(xe.x,xe.y,u/h*re)}for(let re=m-1;re>=0;re--){let ye=re/m,xe=d*Math.cos(ye*Math.PI/2),Be=p*Math.sin(ye*Math.PI/2)+x;for(let Ne=0,nt=B.length;Ne<nt;Ne++){let ze=X(B[Ne],Y[Ne],Be);He(ze.x,ze.y,u+xe)}for(let Ne=0,nt=P.length;Ne<nt;Ne++){let ze=P[Ne];ee=K[Ne];for(let mt=0,ft=ze.length;mt<ft;mt++){let xt=X(ze[mt],ee[mt],Be);_?He(xt.x,xt.y+E[h-1].y,E[h-1].x+xe):He(xt.x,xt.y,u+xe)}}}_e(),Le();function _e(){let re=s.length/3;if(f){let ye=0,xe=G*ye;for(let Be=0;Be<j;Be++){let Ne=he[Be];st(Ne[2]+xe,Ne[1]+xe,Ne[0]+xe)}ye=h+m*2,xe=G*ye;for(let Be=0;Be<j;Be++){let Ne=he[Be];st(Ne[0]+xe,Ne[1]+xe,Ne[2]+xe)}}else{for(let ye=0;ye<j;ye++){let xe=he[ye];st(xe[2],xe[1],xe[0])}for(let ye=0;ye<j;ye++){let xe=he[ye];st(xe[0]+G*h,xe[1]+G*h,xe[2]+G*h)}}n.addGroup(re,s.length/3-re,0)}function Le(){let re=s.length/3,ye=0;be(B,ye),ye+=B.length;for(let xe=0,Be=P.length;xe<Be;xe++){let Ne=P[xe];be(Ne,ye),ye+=Ne.length}n.addGroup(re,s.length/3-re,1)}function be(re,ye){let xe=re.length;for(;--xe>=0;){let Be=xe,Ne=xe-1;Ne<0&&(Ne=re.length-1);for(let nt=0,ze=h+m*2;nt<ze;nt++){let mt=G*nt,ft=G*(nt+1),xt=ye+Be+mt,F=ye+Ne+mt,Me=ye+Ne+ft,qe=ye+Be+ft;Ke(xt,F,Me,qe)}}}function He(re,ye,xe){l.push(re),l.push(ye),l.push(xe)}function st(re,ye,xe){rt(re),rt(ye),rt(xe);let Be=s.length/3,Ne=v.generateTopUV(n,s,Be-3,Be-2,Be-1);it(Ne[0]),it(Ne[1]),it(Ne[2])}function Ke(re,ye,xe,Be){rt(re),rt(ye),rt(Be),rt(ye),rt(xe),rt(Be);let Ne=s.length/3,nt=v.generateSideWallUV(n,s,Ne-6,Ne-3,Ne-2,Ne-1);it(nt[0]),it(nt[1]),it(nt[3]),it(nt[1]),it(nt[2]),it(nt[3])}function rt(re){s.push(l[re*3+0]),s.push(l[re*3+1]),s.push(l[re*3+2])}function it(re){r.push(re.x),r.push(re.y)}}}copy(e){return super.copy(e),this.parameters=Object.assign({},e.parameters),this}toJSON(){let e=super.toJSON(),t=this.parameters.shapes,n=this.parameters.options;return Q_(t,n,e)}static fromJSON(e,t){let n=[];for(let r=0,o=e.shapes.length;r<o;r++){let a=t[e.shapes[r]];n.push(a)}let s=e.options.extrudePath;return s!==void 0&&(e.options.extrudePath=new Iu[s.type]().fromJSON(s)),new i(n,e.options)}},j_={generateTopUV:function(i,e,t,n,s){let r=e[t*3],o=e[t*3+1],a=e[n*3],l=e[n*3+1],c=e[s*3],h=e[s*3+1];return[new Ee(r,o),new Ee(a,l),new Ee(c,h)]},generateSideWallUV:function(i,e,t,n,s,r){let o=e[t*3],a=e[t*3+1],l=e[t*3+2],c=e[n*3],h=e[n*3+1],u=e[n*3+2],f=e[s*3],d=e[s*3+1],p=e[s*3+2],x=e[r*3],m=e[r*3+1],g=e[r*3+2];return Math.abs(a-h)<Math.abs(o-c)?[new Ee(o,1-l),new Ee(c,1-u),new Ee(f,1-p),new Ee(x,1-g)]:[new Ee(a,1-l),new Ee(h,1-u),new Ee(d,1-p),new Ee(m,1-g)]}};function Q_(i,e,t){if(t.shapes=[],Array.isArray(i))for(let n=0,s=i.length;n<s;n++){let r=i[n];t.shapes.push(r.uuid)}else t.shapes.push(i.uuid);return t.options=Object.assign({},e),e.extrudePath!==void 0&&(t.options.extrudePath=e.extrudePath.toJSON()),t}var La=class i extends Jt{constructor(e=[new Ee(0,-.5),new Ee(.5,0),new Ee(0,.5)],t=12,n=0,s=Math.PI*2){super(),this.type="LatheGeometry",this.parameters={points:e,segments:t,phiStart:n,phiLength:s},t=Math.floor(t),s=vt(s,0,Math.PI*2);let r=[],o=[],a=[],l=[],c=[],h=1/t,u=new k,f=new Ee,d=new k,p=new k,x=new k,m=0,g=0;for(let v=0;v<=e.length-1;v++)switch(v){case 0:m=e[v+1].x-e[v].x,g=e[v+1].y-e[v].y,d.x=g*1,d.y=-m,d.z=g*0,x.copy(d),d.normalize(),l.push(d.x,d.y,d.z);break;case e.length-1:x.normalize(),l.push(x.x,x.y,x.z);break;default:m=e[v+1].x-e[v].x,g=e[v+1].y-e[v].y,d.x=g*1,d.y=-m,d.z=g*0,p.copy(d),d.x+=x.x,d.y+=x.y,d.z+=x.z,d.normalize(),l.push(d.x,d.y,d.z),x.copy(p)}for(let v=0;v<=t;v++){let E=n+v*h*s,_=Math.sin(E),R=Math.cos(E);for(let A=0;A<=e.length-1;A++){u.x=e[A].x*_,u.y=e[A].y,u.z=e[A].x*R,o.push(u.x,u.y,u.z),f.x=v/t,f.y=A/(e.length-1),a.push(f.x,f.y);let y=l[3*A+0]*_,b=l[3*A+1],U=l[3*A+0]*R;c.push(y,b,U)}}for(let v=0;v<t;v++)for(let E=0;E<e.length-1;E++){let _=E+v*e.length,R=_,A=_+e.length,y=_+e.length+1,b=_+1;r.push(R,A,b),r.push(y,b,A)}this.setIndex(r),this.setAttribute("position",new Lt(o,3)),this.setAttribute("uv",new Lt(a,2)),this.setAttribute("normal",new Lt(c,3))}copy(e){return super.copy(e),this.parameters=Object.assign({},e.parameters),this}static fromJSON(e){return new i(e.points,e.segments,e.phiStart,e.phiLength)}};var Qi=class i extends Jt{constructor(e=1,t=1,n=1,s=1){super(),this.type="PlaneGeometry",this.parameters={width:e,height:t,widthSegments:n,heightSegments:s};let r=e/2,o=t/2,a=Math.floor(n),l=Math.floor(s),c=a+1,h=l+1,u=e/a,f=t/l,d=[],p=[],x=[],m=[];for(let g=0;g<h;g++){let v=g*f-o;for(let E=0;E<c;E++){let _=E*u-r;p.push(_,-v,0),x.push(0,0,1),m.push(E/a),m.push(1-g/l)}}for(let g=0;g<l;g++)for(let v=0;v<a;v++){let E=v+c*g,_=v+c*(g+1),R=v+1+c*(g+1),A=v+1+c*g;d.push(E,_,A),d.push(_,R,A)}this.setIndex(d),this.setAttribute("position",new Lt(p,3)),this.setAttribute("normal",new Lt(x,3)),this.setAttribute("uv",new Lt(m,2))}copy(e){return super.copy(e),this.parameters=Object.assign({},e.parameters),this}static fromJSON(e){return new i(e.width,e.height,e.widthSegments,e.heightSegments)}};var Mi=class i extends Jt{constructor(e=1,t=32,n=16,s=0,r=Math.PI*2,o=0,a=Math.PI){super(),this.type="SphereGeometry",this.parameters={radius:e,widthSegments:t,heightSegments:n,phiStart:s,phiLength:r,thetaStart:o,thetaLength:a},t=Math.max(3,Math.floor(t)),n=Math.max(2,Math.floor(n));let l=Math.min(o+a,Math.PI),c=0,h=[],u=new k,f=new k,d=[],p=[],x=[],m=[];for(let g=0;g<=n;g++){let v=[],E=g/n,_=o+E*a,R=e*Math.cos(_),A=Math.sqrt(e*e-R*R),y=0;g===0&&o===0?y=.5/t:g===n&&l===Math.PI&&(y=-.5/t);for(let b=0;b<=t;b++){let U=b/t,I=s+U*r;u.x=-A*Math.cos(I),u.y=R,u.z=A*Math.sin(I),p.push(u.x,u.y,u.z),f.copy(u).normalize(),x.push(f.x,f.y,f.z),m.push(U+y,1-E),v.push(c++)}h.push(v)}for(let g=0;g<n;g++)for(let v=0;v<t;v++){let E=h[g][v+1],_=h[g][v],R=h[g+1][v],A=h[g+1][v+1];(g!==0||o>0)&&d.push(E,_,A),(g!==n-1||l<Math.PI)&&d.push(_,R,A)}this.setIndex(d),this.setAttribute("position",new Lt(p,3)),this.setAttribute("normal",new Lt(x,3)),this.setAttribute("uv",new Lt(m,2))}copy(e){return super.copy(e),this.parameters=Object.assign({},e.parameters),this}static fromJSON(e){return new i(e.radius,e.widthSegments,e.heightSegments,e.phiStart,e.phiLength,e.thetaStart,e.thetaLength)}};var yo=class i extends Jt{constructor(e=1,t=.4,n=12,s=48,r=Math.PI*2,o=0,a=Math.PI*2){super(),this.type="TorusGeometry",this.parameters={radius:e,tube:t,radialSegments:n,tubularSegments:s,arc:r,thetaStart:o,thetaLength:a},n=Math.floor(n),s=Math.floor(s);let l=[],c=[],h=[],u=[],f=new k,d=new k,p=new k;for(let x=0;x<=n;x++){let m=o+x/n*a;for(let g=0;g<=s;g++){let v=g/s*r;d.x=(e+t*Math.cos(m))*Math.cos(v),d.y=(e+t*Math.cos(m))*Math.sin(v),d.z=t*Math.sin(m),c.push(d.x,d.y,d.z),f.x=e*Math.cos(v),f.y=e*Math.sin(v),p.subVectors(d,f).normalize(),h.push(p.x,p.y,p.z),u.push(g/s),u.push(x/n)}}for(let x=1;x<=n;x++)for(let m=1;m<=s;m++){let g=(s+1)*x+m-1,v=(s+1)*(x-1)+m-1,E=(s+1)*(x-1)+m,_=(s+1)*x+m;l.push(g,v,_),l.push(v,E,_)}this.setIndex(l),this.setAttribute("position",new Lt(c,3)),this.setAttribute("normal",new Lt(h,3)),this.setAttribute("uv",new Lt(u,2))}copy(e){return super.copy(e),this.parameters=Object.assign({},e.parameters),this}static fromJSON(e){return new i(e.radius,e.tube,e.radialSegments,e.tubularSegments,e.arc,e.thetaStart,e.thetaLength)}};function Mr(i){let e={};for(let t in i){e[t]={};for(let n in i[t]){let s=i[t][n];if(Tp(s))s.isRenderTargetTexture?(tt("UniformsUtils: Textures of render targets cannot be cloned via cloneUniforms() or mergeUniforms()."),e[t][n]=null):e[t][n]=s.clone();else if(Array.isArray(s))if(Tp(s[0])){let r=[];for(let o=0,a=s.length;o<a;o++)r[o]=s[o].clone();e[t][n]=r}else e[t][n]=s.slice();else e[t][n]=s}}return e}function On(i){let e={};for(let t=0;t<i.length;t++){let n=Mr(i[t]);for(let s in n)e[s]=n[s]}return e}function Tp(i){return i&&(i.isColor||i.isMatrix3||i.isMatrix4||i.isVector2||i.isVector3||i.isVector4||i.isTexture||i.isQuaternion)}function ey(i){let e=[];for(let t=0;t<i.length;t++)e.push(i[t].clone());return e}function pf(i){let e=i.getRenderTarget();return e===null?i.outputColorSpace:e.isXRRenderTarget===!0?e.texture.colorSpace:Tt.workingColorSpace}var Tm={clone:Mr,merge:On},ty=`void main() {
	gl_Position = projectionMatrix * modelViewMatrix * vec4( position, 1.0 );
}`,ny=`void main() {
	gl_FragColor = vec4( 1.0, 0.0, 0.0, 1.0 );
}`,Si=class extends Ms{constructor(e){super(),this.isShaderMaterial=!0,this.type="ShaderMaterial",this.defines={},this.uniforms={},this.uniformsGroups=[],this.vertexShader=ty,this.fragmentShader=ny,this.linewidth=1,this.wireframe=!1,this.wireframeLinewidth=1,this.fog=!1,this.lights=!1,this.clipping=!1,this.forceSinglePass=!0,this.extensions={clipCullDistance:!1,multiDraw:!1},this.defaultAttributeValues={color:[1,1,1],uv:[0,0],uv1:[0,0]},this.index0AttributeName=void 0,this.uniformsNeedUpdate=!1,this.glslVersion=null,e!==void 0&&this.setValues(e)}copy(e){return super.copy(e),this.fragmentShader=e.fragmentShader,this.vertexShader=e.vertexShader,this.uniforms=Mr(e.uniforms),this.uniformsGroups=ey(e.uniformsGroups),this.defines=Object.assign({},e.defines),this.wireframe=e.wireframe,this.wireframeLinewidth=e.wireframeLinewidth,this.fog=e.fog,this.lights=e.lights,this.clipping=e.clipping,this.extensions=Object.assign({},e.extensions),this.glslVersion=e.glslVersion,this.defaultAttributeValues=Object.assign({},e.defaultAttributeValues),this.index0AttributeName=e.index0AttributeName,this.uniformsNeedUpdate=e.uniformsNeedUpdate,this}toJSON(e){let t=super.toJSON(e);t.glslVersion=this.glslVersion,t.uniforms={};for(let s in this.uniforms){let o=this.uniforms[s].value;o&&o.isTexture?t.uniforms[s]={type:"t",value:o.toJSON(e).uuid}:o&&o.isColor?t.uniforms[s]={type:"c",value:o.getHex()}:o&&o.isVector2?t.uniforms[s]={type:"v2",value:o.toArray()}:o&&o.isVector3?t.uniforms[s]={type:"v3",value:o.toArray()}:o&&o.isVector4?t.uniforms[s]={type:"v4",value:o.toArray()}:o&&o.isMatrix3?t.uniforms[s]={type:"m3",value:o.toArray()}:o&&o.isMatrix4?t.uniforms[s]={type:"m4",value:o.toArray()}:t.uniforms[s]={value:o}}Object.keys(this.defines).length>0&&(t.defines=this.defines),t.vertexShader=this.vertexShader,t.fragmentShader=this.fragmentShader,t.lights=this.lights,t.clipping=this.clipping;let n={};for(let s in this.extensions)this.extensions[s]===!0&&(n[s]=!0);return Object.keys(n).length>0&&(t.extensions=n),t}fromJSON(e,t){if(super.fromJSON(e,t),e.uniforms!==void 0)for(let n in e.uniforms){let s=e.uniforms[n];switch(this.uniforms[n]={},s.type){case"t":this.uniforms[n].value=t[s.value]||null;break;case"c":this.uniforms[n].value=new Ve().setHex(s.value);break;case"v2":this.uniforms[n].value=new Ee().fromArray(s.value);break;case"v3":this.uniforms[n].value=new k().fromArray(s.value);break;case"v4":this.uniforms[n].value=new Qt().fromArray(s.value);break;case"m3":this.uniforms[n].value=new dt().fromArray(s.value);break;case"m4":this.uniforms[n].value=new Rt().fromArray(s.value);break;default:this.uniforms[n].value=s.value}}if(e.defines!==void 0&&(this.defines=e.defines),e.vertexShader!==void 0&&(this.vertexShader=e.vertexShader),e.fragmentShader!==void 0&&(this.fragmentShader=e.fragmentShader),e.glslVersion!==void 0&&(this.glslVersion=e.glslVersion),e.extensions!==void 0)for(let n in e.extensions)this.extensions[n]=e.extensions[n];return e.lights!==void 0&&(this.lights=e.lights),e.clipping!==void 0&&(this.clipping=e.clipping),this}},rc=class extends Si{constructor(e){super(e),this.isRawShaderMaterial=!0,this.type="RawShaderMaterial"}},bi=class extends Ms{constructor(e){super(),this.isMeshStandardMaterial=!0,this.type="MeshStandardMaterial",this.defines={STANDARD:""},this.color=new Ve(16777215),this.roughness=1,this.metalness=0,this.map=null,this.lightMap=null,this.lightMapIntensity=1,this.aoMap=null,this.aoMapIntensity=1,this.emissive=new Ve(0),this.emissiveIntensity=1,this.emissiveMap=null,this.bumpMap=null,this.bumpScale=1,this.normalMap=null,this.normalMapType=ih,this.normalScale=new Ee(1,1),this.displacementMap=null,this.displacementScale=1,this.displacementBias=0,this.roughnessMap=null,this.metalnessMap=null,this.alphaMap=null,this.envMap=null,this.envMapRotation=new _s,this.envMapIntensity=1,this.wireframe=!1,this.wireframeLinewidth=1,this.wireframeLinecap="round",this.wireframeLinejoin="round",this.flatShading=!1,this.fog=!0,this.setValues(e)}copy(e){return super.copy(e),this.defines={STANDARD:""},this.color.copy(e.color),this.roughness=e.roughness,this.metalness=e.metalness,this.map=e.map,this.lightMap=e.lightMap,this.lightMapIntensity=e.lightMapIntensity,this.aoMap=e.aoMap,this.aoMapIntensity=e.aoMapIntensity,this.emissive.copy(e.emissive),this.emissiveMap=e.emissiveMap,this.emissiveIntensity=e.emissiveIntensity,this.bumpMap=e.bumpMap,this.bumpScale=e.bumpScale,this.normalMap=e.normalMap,this.normalMapType=e.normalMapType,this.normalScale.copy(e.normalScale),this.displacementMap=e.displacementMap,this.displacementScale=e.displacementScale,this.displacementBias=e.displacementBias,this.roughnessMap=e.roughnessMap,this.metalnessMap=e.metalnessMap,this.alphaMap=e.alphaMap,this.envMap=e.envMap,this.envMapRotation.copy(e.envMapRotation),this.envMapIntensity=e.envMapIntensity,this.wireframe=e.wireframe,this.wireframeLinewidth=e.wireframeLinewidth,this.wireframeLinecap=e.wireframeLinecap,this.wireframeLinejoin=e.wireframeLinejoin,this.flatShading=e.flatShading,this.fog=e.fog,this}};var oc=class extends Ms{constructor(e){super(),this.isMeshDepthMaterial=!0,this.type="MeshDepthMaterial",this.depthPacking=om,this.map=null,this.alphaMap=null,this.displacementMap=null,this.displacementScale=1,this.displacementBias=0,this.wireframe=!1,this.wireframeLinewidth=1,this.setValues(e)}copy(e){return super.copy(e),this.depthPacking=e.depthPacking,this.map=e.map,this.alphaMap=e.alphaMap,this.displacementMap=e.displacementMap,this.displacementScale=e.displacementScale,this.displacementBias=e.displacementBias,this.wireframe=e.wireframe,this.wireframeLinewidth=e.wireframeLinewidth,this}},ac=class extends Ms{constructor(e){super(),this.isMeshDistanceMaterial=!0,this.type="MeshDistanceMaterial",this.map=null,this.alphaMap=null,this.displacementMap=null,this.displacementScale=1,this.displacementBias=0,this.setValues(e)}copy(e){return super.copy(e),this.map=e.map,this.alphaMap=e.alphaMap,this.displacementMap=e.displacementMap,this.displacementScale=e.displacementScale,this.displacementBias=e.displacementBias,this}};function Gs(i,e){return!i||i.constructor===e?i:typeof e.BYTES_PER_ELEMENT=="number"?new e(i):Array.prototype.slice.call(i)}function oa(i){return i!==void 0&&i.inTangents!==void 0&&i.outTangents!==void 0}function iy(i){function e(s,r){return i[s]-i[r]}let t=i.length,n=new Array(t);for(let s=0;s!==t;++s)n[s]=s;return n.sort(e),n}function Ep(i,e,t){let n=i.length,s=new i.constructor(n);for(let r=0,o=0;o!==n;++r){let a=t[r]*e;for(let l=0;l!==e;++l)s[o++]=i[a+l]}return s}function sy(i,e,t,n){let s=1,r=i[0];for(;r!==void 0&&r[n]===void 0;)r=i[s++];if(r===void 0)return;let o=r[n];if(o!==void 0)if(Array.isArray(o))do o=r[n],o!==void 0&&(e.push(r.time),t.push(...o)),r=i[s++];while(r!==void 0);else if(o.toArray!==void 0)do o=r[n],o!==void 0&&(e.push(r.time),o.toArray(t,t.length)),r=i[s++];while(r!==void 0);else do o=r[n],o!==void 0&&(e.push(r.time),t.push(o)),r=i[s++];while(r!==void 0)}var Ys=class{constructor(e,t,n,s){this.parameterPositions=e,this._cachedIndex=0,this.resultBuffer=s!==void 0?s:new t.constructor(n),this.sampleValues=t,this.valueSize=n,this.settings=null,this.DefaultSettings_={}}evaluate(e){let t=this.parameterPositions,n=this._cachedIndex,s=t[n],r=t[n-1];n:{e:{let o;t:{i:if(!(e<s)){for(let a=n+2;;){if(s===void 0){if(e<r)break i;return n=t.length,this._cachedIndex=n,this.copySampleValue_(n-1)}if(n===a)break;if(r=s,s=t[++n],e<s)break e}o=t.length;break t}if(!(e>=r)){let a=t[1];e<a&&(n=2,r=a);for(let l=n-2;;){if(r===void 0)return this._cachedIndex=0,this.copySampleValue_(0);if(n===l)break;if(s=r,r=t[--n-1],e>=r)break e}o=n,n=0;break t}break n}for(;n<o;){let a=n+o>>>1;e<t[a]?o=a:n=a+1}if(s=t[n],r=t[n-1],r===void 0)return this._cachedIndex=0,this.copySampleValue_(0);if(s===void 0)return n=t.length,this._cachedIndex=n,this.copySampleValue_(n-1)}this._cachedIndex=n,this.intervalChanged_(n,r,s)}return this.interpolate_(n,r,e,s)}getSettings_(){return this.settings||this.DefaultSettings_}copySampleValue_(e){let t=this.resultBuffer,n=this.sampleValues,s=this.valueSize,r=e*s;for(let o=0;o!==s;++o)t[o]=n[r+o];return t}interpolate_(){throw new Error("THREE.Interpolant: Call to abstract method.")}intervalChanged_(){}},lc=class extends Ys{constructor(e,t,n,s){super(e,t,n,s),this._weightPrev=-0,this._offsetPrev=-0,this._weightNext=-0,this._offsetNext=-0,this.DefaultSettings_={endingStart:Eu,endingEnd:Eu}}intervalChanged_(e,t,n){let s=this.parameterPositions,r=e-2,o=e+1,a=s[r],l=s[o];if(a===void 0)switch(this.getSettings_().endingStart){case Ru:r=e,a=2*t-n;break;case Cu:r=s.length-2,a=t+s[r]-s[r+1];break;default:r=e,a=n}if(l===void 0)switch(this.getSettings_().endingEnd){case Ru:o=e,l=2*n-t;break;case Cu:o=1,l=n+s[1]-s[0];break;default:o=e-1,l=t}let c=(n-t)*.5,h=this.valueSize;this._weightPrev=c/(t-a),this._weightNext=c/(l-n),this._offsetPrev=r*h,this._offsetNext=o*h}interpolate_(e,t,n,s){let r=this.resultBuffer,o=this.sampleValues,a=this.valueSize,l=e*a,c=l-a,h=this._offsetPrev,u=this._offsetNext,f=this._weightPrev,d=this._weightNext,p=(n-t)/(s-t),x=p*p,m=x*p,g=-f*m+2*f*x-f*p,v=(1+f)*m+(-1.5-2*f)*x+(-.5+f)*p+1,E=(-1-d)*m+(1.5+d)*x+.5*p,_=d*m-d*x;for(let R=0;R!==a;++R)r[R]=g*o[h+R]+v*o[c+R]+E*o[l+R]+_*o[u+R];return r}},cc=class extends Ys{constructor(e,t,n,s){super(e,t,n,s)}interpolate_(e,t,n,s){let r=this.resultBuffer,o=this.sampleValues,a=this.valueSize,l=e*a,c=l-a,h=(n-t)/(s-t),u=1-h;for(let f=0;f!==a;++f)r[f]=o[c+f]*u+o[l+f]*h;return r}},hc=class extends Ys{constructor(e,t,n,s){super(e,t,n,s)}interpolate_(e){return this.copySampleValue_(e-1)}},uc=class extends Ys{interpolate_(e,t,n,s){let r=this.resultBuffer,o=this.sampleValues,a=this.valueSize,l=e*a,c=l-a,h=this.inTangents,u=this.outTangents;if(!h||!u){let p=(n-t)/(s-t),x=1-p;for(let m=0;m!==a;++m)r[m]=o[c+m]*x+o[l+m]*p;return r}let f=a*2,d=e-1;for(let p=0;p!==a;++p){let x=o[c+p],m=o[l+p],g=d*f+p*2,v=u[g],E=u[g+1],_=e*f+p*2,R=h[_],A=h[_+1],y=oy(n,t,v,R,s);r[p]=Em(y,x,E,A,m)}return r}};function Em(i,e,t,n,s){let r=1-i;return r*r*r*e+3*r*r*i*t+3*r*i*i*n+i*i*i*s}function ry(i,e,t,n,s){let r=1-i;return 3*r*r*(t-e)+6*r*i*(n-t)+3*i*i*(s-n)}function oy(i,e,t,n,s){let r=(i-e)/(s-e);for(let o=0;o<8;o++){let a=Em(r,e,t,n,s)-i;if(Math.abs(a)<1e-10)break;let l=ry(r,e,t,n,s);if(Math.abs(l)<1e-10)break;r=Math.max(0,Math.min(1,r-a/l))}return r}var Zn=class{constructor(e,t,n,s){if(e===void 0)throw new Error("THREE.KeyframeTrack: track name is undefined");if(t===void 0||t.length===0)throw new Error("THREE.KeyframeTrack: no keyframes in track named "+e);this.name=e,this.times=Gs(t,this.TimeBufferType),this.values=Gs(n,this.ValueBufferType),this.setInterpolation(s||this.DefaultInterpolation)}static toJSON(e){let t=e.constructor,n;if(t.toJSON!==this.toJSON)n=t.toJSON(e);else{n={name:e.name,times:Gs(e.times,Array),values:Gs(e.values,Array)};let s=e.getInterpolation();s!==e.DefaultInterpolation&&(n.interpolation=s),oa(e.settings)&&(n.settings={inTangents:Gs(e.settings.inTangents,Array),outTangents:Gs(e.settings.outTangents,Array)})}return n.type=e.ValueTypeName,n}InterpolantFactoryMethodDiscrete(e){return new hc(this.times,this.values,this.getValueSize(),e)}InterpolantFactoryMethodLinear(e){return new cc(this.times,this.values,this.getValueSize(),e)}InterpolantFactoryMethodSmooth(e){return new lc(this.times,this.values,this.getValueSize(),e)}InterpolantFactoryMethodBezier(e){let t=new uc(this.times,this.values,this.getValueSize(),e);return this.settings&&(t.inTangents=this.settings.inTangents,t.outTangents=this.settings.outTangents),t}setInterpolation(e){let t;switch(e){case hr:t=this.InterpolantFactoryMethodDiscrete;break;case ro:t=this.InterpolantFactoryMethodLinear;break;case zl:t=this.InterpolantFactoryMethodSmooth;break;case Tu:t=this.InterpolantFactoryMethodBezier;break}if(t===void 0){let n="unsupported interpolation for "+this.ValueTypeName+" keyframe track named "+this.name;if(this.createInterpolant===void 0)if(e!==this.DefaultInterpolation)this.setInterpolation(this.DefaultInterpolation);else throw new Error(n);return tt("KeyframeTrack:",n),this}return this.createInterpolant=t,this}getInterpolation(){switch(this.createInterpolant){case this.InterpolantFactoryMethodDiscrete:return hr;case this.InterpolantFactoryMethodLinear:return ro;case this.InterpolantFactoryMethodSmooth:return zl;case this.InterpolantFactoryMethodBezier:return Tu}}getValueSize(){return this.values.length/this.times.length}shift(e){if(e!==0){let t=this.times;for(let n=0,s=t.length;n!==s;++n)t[n]+=e;oa(this.settings)&&(Rp(this.settings.inTangents,e),Rp(this.settings.outTangents,e))}return this}scale(e){if(e!==1){let t=this.times;for(let n=0,s=t.length;n!==s;++n)t[n]*=e;oa(this.settings)&&(Cp(this.settings.inTangents,e),Cp(this.settings.outTangents,e))}return this}trim(e,t){let n=this.times,s=n.length,r=0,o=s-1;for(;r!==s&&n[r]<e;)++r;for(;o!==-1&&n[o]>t;)--o;if(++o,r!==0||o!==s){r>=o&&(o=Math.max(o,1),r=o-1);let a=this.getValueSize();this.times=n.slice(r,o),this.values=this.values.slice(r*a,o*a)}return this}validate(){let e=!0,t=this.getValueSize();t-Math.floor(t)!==0&&(at("KeyframeTrack: Invalid value size in track.",this),e=!1);let n=this.times,s=this.values,r=n.length;r===0&&(at("KeyframeTrack: Track is empty.",this),e=!1);let o=null;for(let a=0;a!==r;a++){let l=n[a];if(typeof l=="number"&&isNaN(l)){at("KeyframeTrack: Time is not a valid number.",this,a,l),e=!1;break}if(o!==null&&o>l){at("KeyframeTrack: Out of order keys.",this,a,l,o),e=!1;break}o=l}if(s!==void 0&&Yx(s))for(let a=0,l=s.length;a!==l;++a){let c=s[a];if(isNaN(c)){at("KeyframeTrack: Value is not a valid number.",this,a,c),e=!1;break}}return e}optimize(){let e=this.times.slice(),t=this.values.slice(),n=this.getValueSize(),s=this.getInterpolation()===zl,r=e.length-1,o=1;for(let a=1;a<r;++a){let l=!1,c=e[a],h=e[a+1];if(c!==h&&(a!==1||c!==e[0]))if(s)l=!0;else{let u=a*n,f=u-n,d=u+n;for(let p=0;p!==n;++p){let x=t[u+p];if(x!==t[f+p]||x!==t[d+p]){l=!0;break}}}if(l){if(a!==o){e[o]=e[a];let u=a*n,f=o*n;for(let d=0;d!==n;++d)t[f+d]=t[u+d]}++o}}if(r>0){e[o]=e[r];for(let a=r*n,l=o*n,c=0;c!==n;++c)t[l+c]=t[a+c];++o}return o!==e.length?(this.times=e.slice(0,o),this.values=t.slice(0,o*n)):(this.times=e,this.values=t),this}clone(){let e=this.times.slice(),t=this.values.slice(),n=this.constructor,s=new n(this.name,e,t);return s.createInterpolant=this.createInterpolant,oa(this.settings)&&(s.settings={inTangents:this.settings.inTangents.slice(),outTangents:this.settings.outTangents.slice()}),s}};function Rp(i,e){for(let t=0,n=i.length;t!==n;t+=2)i[t]+=e}function Cp(i,e){for(let t=0,n=i.length;t!==n;t+=2)i[t]*=e}Zn.prototype.ValueTypeName="";Zn.prototype.TimeBufferType=Float32Array;Zn.prototype.ValueBufferType=Float32Array;Zn.prototype.DefaultInterpolation=ro;var bs=class extends Zn{constructor(e,t,n){super(e,t,n)}};bs.prototype.ValueTypeName="bool";bs.prototype.ValueBufferType=Array;bs.prototype.DefaultInterpolation=hr;bs.prototype.InterpolantFactoryMethodLinear=void 0;bs.prototype.InterpolantFactoryMethodSmooth=void 0;var Na=class extends Zn{constructor(e,t,n,s){super(e,t,n,s)}};Na.prototype.ValueTypeName="color";var vo=class extends Zn{constructor(e,t,n,s){super(e,t,n,s)}};vo.prototype.ValueTypeName="number";var fc=class extends Ys{constructor(e,t,n,s){super(e,t,n,s)}interpolate_(e,t,n,s){let r=this.resultBuffer,o=this.sampleValues,a=this.valueSize,l=(n-t)/(s-t),c=e*a;for(let h=c+a;c!==h;c+=4)yi.slerpFlat(r,0,o,c-a,o,c,l);return r}},$s=class extends Zn{constructor(e,t,n,s){super(e,t,n,s)}InterpolantFactoryMethodLinear(e){return new fc(this.times,this.values,this.getValueSize(),e)}};$s.prototype.ValueTypeName="quaternion";$s.prototype.InterpolantFactoryMethodSmooth=void 0;var ws=class extends Zn{constructor(e,t,n){super(e,t,n)}};ws.prototype.ValueTypeName="string";ws.prototype.ValueBufferType=Array;ws.prototype.DefaultInterpolation=hr;ws.prototype.InterpolantFactoryMethodLinear=void 0;ws.prototype.InterpolantFactoryMethodSmooth=void 0;var pr=class extends Zn{constructor(e,t,n,s){super(e,t,n,s)}};pr.prototype.ValueTypeName="vector";var Da=class{constructor(e="",t=-1,n=[],s=rm){this.name=e,this.tracks=n,this.duration=t,this.blendMode=s,this.uuid=Ks(),this.userData={},this.duration<0&&this.resetDuration()}static parse(e){let t=[],n=e.tracks,s=1/(e.fps||1);for(let o=0,a=n.length;o!==a;++o)t.push(ly(n[o]).scale(s));let r=new this(e.name,e.duration,t,e.blendMode);return r.uuid=e.uuid,r.userData=JSON.parse(e.userData||"{}"),r}static toJSON(e){let t=[],n=e.tracks,s={name:e.name,duration:e.duration,tracks:t,uuid:e.uuid,blendMode:e.blendMode,userData:JSON.stringify(e.userData)};for(let r=0,o=n.length;r!==o;++r)t.push(Zn.toJSON(n[r]));return s}static CreateFromMorphTargetSequence(e,t,n,s){let r=t.length,o=[];for(let a=0;a<r;a++){let l=[],c=[];l.push((a+r-1)%r,a,(a+1)%r),c.push(0,1,0);let h=iy(l);l=Ep(l,1,h),c=Ep(c,1,h),!s&&l[0]===0&&(l.push(r),c.push(c[0])),o.push(new vo(".morphTargetInfluences["+t[a].name+"]",l,c).scale(1/n))}return new this(e,-1,o)}static findByName(e,t){let n=e;if(!Array.isArray(e)){let s=e;n=s.geometry&&s.geometry.animations||s.animations}for(let s=0;s<n.length;s++)if(n[s].name===t)return n[s];return null}static CreateClipsFromMorphTargetSequences(e,t,n){let s={},r=/^([\w-]*?)([\d]+)$/;for(let a=0,l=e.length;a<l;a++){let c=e[a],h=c.name.match(r);if(h&&h.length>1){let u=h[1],f=s[u];f||(s[u]=f=[]),f.push(c)}}let o=[];for(let a in s)o.push(this.CreateFromMorphTargetSequence(a,s[a],t,n));return o}resetDuration(){let e=this.tracks,t=0;for(let n=0,s=e.length;n!==s;++n){let r=this.tracks[n];t=Math.max(t,r.times[r.times.length-1])}return this.duration=t,this}trim(){for(let e=0;e<this.tracks.length;e++)this.tracks[e].trim(0,this.duration);return this}validate(){let e=!0;for(let t=0;t<this.tracks.length;t++)e=e&&this.tracks[t].validate();return e}optimize(){for(let e=0;e<this.tracks.length;e++)this.tracks[e].optimize();return this}clone(){let e=[];for(let n=0;n<this.tracks.length;n++)e.push(this.tracks[n].clone());let t=new this.constructor(this.name,this.duration,e,this.blendMode);return t.userData=JSON.parse(JSON.stringify(this.userData)),t}toJSON(){return this.constructor.toJSON(this)}};function ay(i){switch(i.toLowerCase()){case"scalar":case"double":case"float":case"number":case"integer":return vo;case"vector":case"vector2":case"vector3":case"vector4":return pr;case"color":return Na;case"quaternion":return $s;case"bool":case"boolean":return bs;case"string":return ws}throw new Error("THREE.KeyframeTrack: Unsupported typeName: "+i)}function ly(i){if(i.type===void 0)throw new Error("THREE.KeyframeTrack: track type undefined, can not parse");let e=ay(i.type);if(i.times===void 0){let n=[],s=[];sy(i.keys,n,s,"value"),i.times=n,i.values=s}let t;return e.parse!==void 0?t=e.parse(i):t=new e(i.name,i.times,i.values,i.interpolation),oa(i.settings)&&(t.settings={inTangents:Gs(i.settings.inTangents,Float32Array),outTangents:Gs(i.settings.outTangents,Float32Array)}),t}var dc=class{constructor(e,t,n){let s=this,r=!1,o=0,a=0,l,c=[];this.onStart=void 0,this.onLoad=e,this.onProgress=t,this.onError=n,this._abortController=null,this.itemStart=function(h){a++,r===!1&&s.onStart!==void 0&&s.onStart(h,o,a),r=!0},this.itemEnd=function(h){o++,s.onProgress!==void 0&&s.onProgress(h,o,a),o===a&&(r=!1,s.onLoad!==void 0&&s.onLoad())},this.itemError=function(h){s.onError!==void 0&&s.onError(h)},this.resolveURL=function(h){return h=h.normalize("NFC"),l?l(h):h},this.setURLModifier=function(h){return l=h,this},this.addHandler=function(h,u){return c.push(h,u),this},this.removeHandler=function(h){let u=c.indexOf(h);return u!==-1&&c.splice(u,2),this},this.getHandler=function(h){for(let u=0,f=c.length;u<f;u+=2){let d=c[u],p=c[u+1];if(d.global&&(d.lastIndex=0),d.test(h))return p}return null},this.abort=function(){return this.abortController.abort(),this._abortController=null,this}}get abortController(){return this._abortController||(this._abortController=new AbortController),this._abortController}},Rm=new dc,pc=class{constructor(e){this.manager=e!==void 0?e:Rm,this.crossOrigin="anonymous",this.withCredentials=!1,this.path="",this.resourcePath="",this.requestHeader={},this.priority="auto",this.cache="default",typeof __THREE_DEVTOOLS__<"u"&&__THREE_DEVTOOLS__.dispatchEvent(new CustomEvent("observe",{detail:this}))}load(){}loadAsync(e,t){let n=this;return new Promise(function(s,r){n.load(e,s,t,r)})}parse(){}setCrossOrigin(e){return this.crossOrigin=e,this}setWithCredentials(e){return this.withCredentials=e,this}setPath(e){return this.path=e,this}setResourcePath(e){return this.resourcePath=e,this}setRequestHeader(e){return this.requestHeader=e,this}setPriority(e){return this.priority=e,this}setCache(e){return this.cache=e,this}abort(){return this}};pc.DEFAULT_MATERIAL_NAME="__DEFAULT";var Mo=class extends Ln{static registerNode(e){this.prototype._lightNode=e}constructor(e,t=1){super(),this.isLight=!0,this.type="Light",this.color=new Ve(e),this.intensity=t}copy(e,t){return super.copy(e,t),this.color.copy(e.color),this.intensity=e.intensity,this}toJSON(e){let t=super.toJSON(e);return t.object.color=this.color.getHex(),t.object.intensity=this.intensity,t}},Ua=class extends Mo{constructor(e,t,n){super(e,n),this.isHemisphereLight=!0,this.type="HemisphereLight",this.position.copy(Ln.DEFAULT_UP),this.updateMatrix(),this.groundColor=new Ve(t)}copy(e,t){return super.copy(e,t),this.groundColor.copy(e.groundColor),this}toJSON(e){let t=super.toJSON(e);return t.object.groundColor=this.groundColor.getHex(),t}},Au=new Rt,Ip=new k,Pp=new k,mc=class{constructor(e){this.camera=e,this.intensity=1,this.bias=0,this.biasNode=null,this.normalBias=0,this.radius=1,this.blurSamples=8,this.mapSize=new Ee(512,512),this.mapType=Jn,this.map=null,this.mapPass=null,this.matrix=new Rt,this.autoUpdate=!0,this.needsUpdate=!1,this._frustum=new Ws,this._frameExtents=new Ee(1,1),this._viewportCount=1,this._viewports=[new Qt(0,0,1,1)]}getViewportCount(){return this._viewportCount}getCamera(){return this.camera}getFrustum(){return this._frustum}updateMatrices(e){let t=this.camera;Ip.setFromMatrixPosition(e.matrixWorld),t.position.copy(Ip),Pp.setFromMatrixPosition(e.target.matrixWorld),t.lookAt(Pp),t.updateMatrixWorld(),this._updateMatrix(t,this.matrix,this._frustum)}_updateMatrix(e,t,n,s){Au.multiplyMatrices(e.projectionMatrix,e.matrixWorldInverse),n.setFromProjectionMatrix(Au,e.coordinateSystem,e.reversedDepth);let r=this._frameExtents,o=s?s.z/r.x:1,a=s?s.w/r.y:1,l=s?s.x/r.x:0,c=s?s.y/r.y:0;e.coordinateSystem===oo||e.reversedDepth?t.set(.5*o,0,0,.5*o+l,0,.5*a,0,.5*a+c,0,0,1,0,0,0,0,1):t.set(.5*o,0,0,.5*o+l,0,.5*a,0,.5*a+c,0,0,.5,.5,0,0,0,1),t.multiply(Au)}getViewport(e){return this._viewports[e]}getFrameExtents(){return this._frameExtents}dispose(){this.map&&this.map.dispose(),this.mapPass&&this.mapPass.dispose()}copy(e){return this.camera=e.camera.clone(),this.intensity=e.intensity,this.bias=e.bias,this.radius=e.radius,this.autoUpdate=e.autoUpdate,this.needsUpdate=e.needsUpdate,this.normalBias=e.normalBias,this.blurSamples=e.blurSamples,this.mapSize.copy(e.mapSize),this.mapType=e.mapType,this.biasNode=e.biasNode,this}clone(){return new this.constructor().copy(this)}toJSON(){let e={};return e.intensity=this.intensity,e.bias=this.bias,e.normalBias=this.normalBias,e.radius=this.radius,e.blurSamples=this.blurSamples,e.mapSize=this.mapSize.toArray(),e.mapType=this.mapType,e.camera=this.camera.toJSON(!1).object,delete e.camera.matrix,e}},Ol=new k,Bl=new yi,Zi=new k,Fa=class extends Ln{constructor(){super(),this.isCamera=!0,this.type="Camera",this.matrixWorldInverse=new Rt,this.projectionMatrix=new Rt,this.projectionMatrixInverse=new Rt,this.coordinateSystem=_i,this._reversedDepth=!1}get reversedDepth(){return this._reversedDepth}copy(e,t){return super.copy(e,t),this.matrixWorldInverse.copy(e.matrixWorldInverse),this.projectionMatrix.copy(e.projectionMatrix),this.projectionMatrixInverse.copy(e.projectionMatrixInverse),this.coordinateSystem=e.coordinateSystem,this}getWorldDirection(e){return super.getWorldDirection(e).negate()}updateMatrixWorld(e){super.updateMatrixWorld(e),this.matrixWorld.decompose(Ol,Bl,Zi),Zi.x===1&&Zi.y===1&&Zi.z===1?this.matrixWorldInverse.copy(this.matrixWorld).invert():this.matrixWorldInverse.compose(Ol,Bl,Zi.set(1,1,1)).invert()}updateWorldMatrix(e,t,n=!1){super.updateWorldMatrix(e,t,n),this.matrixWorld.decompose(Ol,Bl,Zi),Zi.x===1&&Zi.y===1&&Zi.z===1?this.matrixWorldInverse.copy(this.matrixWorld).invert():this.matrixWorldInverse.compose(Ol,Bl,Zi.set(1,1,1)).invert()}clone(){return new this.constructor().copy(this)}},ks=new k,Lp=new Ee,Np=new Ee,Xn=class extends Fa{constructor(e=50,t=1,n=.1,s=2e3){super(),this.isPerspectiveCamera=!0,this.type="PerspectiveCamera",this.fov=e,this.zoom=1,this.near=n,this.far=s,this.focus=10,this.aspect=t,this.view=null,this.filmGauge=35,this.filmOffset=0,this.updateProjectionMatrix()}copy(e,t){return super.copy(e,t),this.fov=e.fov,this.zoom=e.zoom,this.near=e.near,this.far=e.far,this.focus=e.focus,this.aspect=e.aspect,this.view=e.view===null?null:Object.assign({},e.view),this.filmGauge=e.filmGauge,this.filmOffset=e.filmOffset,this}setFocalLength(e){let t=.5*this.getFilmHeight()/e;this.fov=lo*2*Math.atan(t),this.updateProjectionMatrix()}getFocalLength(){let e=Math.tan(la*.5*this.fov);return .5*this.getFilmHeight()/e}getEffectiveFOV(){return lo*2*Math.atan(Math.tan(la*.5*this.fov)/this.zoom)}getFilmWidth(){return this.filmGauge*Math.min(this.aspect,1)}getFilmHeight(){return this.filmGauge/Math.max(this.aspect,1)}getViewBounds(e,t,n){ks.set(-1,-1,.5).applyMatrix4(this.projectionMatrixInverse),t.set(ks.x,ks.y).multiplyScalar(-e/ks.z),ks.set(1,1,.5).applyMatrix4(this.projectionMatrixInverse),n.set(ks.x,ks.y).multiplyScalar(-e/ks.z)}getViewSize(e,t){return this.getViewBounds(e,Lp,Np),t.subVectors(Np,Lp)}setViewOffset(e,t,n,s,r,o){this.aspect=e/t,this.view===null&&(this.view={enabled:!0,fullWidth:1,fullHeight:1,offsetX:0,offsetY:0,width:1,height:1}),this.view.enabled=!0,this.view.fullWidth=e,this.view.fullHeight=t,this.view.offsetX=n,this.view.offsetY=s,this.view.width=r,this.view.height=o,this.updateProjectionMatrix()}clearViewOffset(){this.view!==null&&(this.view.enabled=!1),this.updateProjectionMatrix()}updateProjectionMatrix(){let e=this.near,t=e*Math.tan(la*.5*this.fov)/this.zoom,n=2*t,s=this.aspect*n,r=-.5*s,o=this.view;if(this.view!==null&&this.view.enabled){let l=o.fullWidth,c=o.fullHeight;r+=o.offsetX*s/l,t-=o.offsetY*n/c,s*=o.width/l,n*=o.height/c}let a=this.filmOffset;a!==0&&(r+=e*a/this.getFilmWidth()),this.projectionMatrix.makePerspective(r,r+s,t,t-n,e,this.far,this.coordinateSystem,this.reversedDepth),this.projectionMatrixInverse.copy(this.projectionMatrix).invert()}toJSON(e){let t=super.toJSON(e);return t.object.fov=this.fov,t.object.zoom=this.zoom,t.object.near=this.near,t.object.far=this.far,t.object.focus=this.focus,t.object.aspect=this.aspect,this.view!==null&&(t.object.view=Object.assign({},this.view)),t.object.filmGauge=this.filmGauge,t.object.filmOffset=this.filmOffset,t}};var Oa=class extends Fa{constructor(e=-1,t=1,n=1,s=-1,r=.1,o=2e3){super(),this.isOrthographicCamera=!0,this.type="OrthographicCamera",this.zoom=1,this.view=null,this.left=e,this.right=t,this.top=n,this.bottom=s,this.near=r,this.far=o,this.updateProjectionMatrix()}copy(e,t){return super.copy(e,t),this.left=e.left,this.right=e.right,this.top=e.top,this.bottom=e.bottom,this.near=e.near,this.far=e.far,this.zoom=e.zoom,this.view=e.view===null?null:Object.assign({},e.view),this}setViewOffset(e,t,n,s,r,o){this.view===null&&(this.view={enabled:!0,fullWidth:1,fullHeight:1,offsetX:0,offsetY:0,width:1,height:1}),this.view.enabled=!0,this.view.fullWidth=e,this.view.fullHeight=t,this.view.offsetX=n,this.view.offsetY=s,this.view.width=r,this.view.height=o,this.updateProjectionMatrix()}clearViewOffset(){this.view!==null&&(this.view.enabled=!1),this.updateProjectionMatrix()}updateProjectionMatrix(){let e=(this.right-this.left)/(2*this.zoom),t=(this.top-this.bottom)/(2*this.zoom),n=(this.right+this.left)/2,s=(this.top+this.bottom)/2,r=n-e,o=n+e,a=s+t,l=s-t;if(this.view!==null&&this.view.enabled){let c=(this.right-this.left)/this.view.fullWidth/this.zoom,h=(this.top-this.bottom)/this.view.fullHeight/this.zoom;r+=c*this.view.offsetX,o=r+c*this.view.width,a-=h*this.view.offsetY,l=a-h*this.view.height}this.projectionMatrix.makeOrthographic(r,o,a,l,this.near,this.far,this.coordinateSystem,this.reversedDepth),this.projectionMatrixInverse.copy(this.projectionMatrix).invert()}toJSON(e){let t=super.toJSON(e);return t.object.zoom=this.zoom,t.object.left=this.left,t.object.right=this.right,t.object.top=this.top,t.object.bottom=this.bottom,t.object.near=this.near,t.object.far=this.far,this.view!==null&&(t.object.view=Object.assign({},this.view)),t}},Du=class extends mc{constructor(){super(new Oa(-5,5,5,-5,.5,500)),this.isDirectionalLightShadow=!0}},Ba=class extends Mo{constructor(e,t){super(e,t),this.isDirectionalLight=!0,this.type="DirectionalLight",this.position.copy(Ln.DEFAULT_UP),this.updateMatrix(),this.target=new Ln,this.shadow=new Du}dispose(){super.dispose(),this.shadow.dispose()}copy(e){return super.copy(e),this.target=e.target.clone(),this.shadow=e.shadow.clone(),this}toJSON(e){let t=super.toJSON(e);return t.object.shadow=this.shadow.toJSON(),t.object.target=this.target.uuid,t}},za=class extends Mo{constructor(e,t){super(e,t),this.isAmbientLight=!0,this.type="AmbientLight"}};var Qr=-90,eo=1,So=class extends Ln{constructor(e,t,n){super(),this.type="CubeCamera",this.renderTarget=n,this.coordinateSystem=null,this.activeMipmapLevel=0;let s=new Xn(Qr,eo,e,t);s.layers=this.layers,this.add(s);let r=new Xn(Qr,eo,e,t);r.layers=this.layers,this.add(r);let o=new Xn(Qr,eo,e,t);o.layers=this.layers,this.add(o);let a=new Xn(Qr,eo,e,t);a.layers=this.layers,this.add(a);let l=new Xn(Qr,eo,e,t);l.layers=this.layers,this.add(l);let c=new Xn(Qr,eo,e,t);c.layers=this.layers,this.add(c)}updateCoordinateSystem(){let e=this.coordinateSystem,t=this.children.concat(),[n,s,r,o,a,l]=t;for(let c of t)this.remove(c);if(e===_i)n.up.set(0,1,0),n.lookAt(1,0,0),s.up.set(0,1,0),s.lookAt(-1,0,0),r.up.set(0,0,-1),r.lookAt(0,1,0),o.up.set(0,0,1),o.lookAt(0,-1,0),a.up.set(0,1,0),a.lookAt(0,0,1),l.up.set(0,1,0),l.lookAt(0,0,-1);else if(e===oo)n.up.set(0,-1,0),n.lookAt(-1,0,0),s.up.set(0,-1,0),s.lookAt(1,0,0),r.up.set(0,0,1),r.lookAt(0,1,0),o.up.set(0,0,-1),o.lookAt(0,-1,0),a.up.set(0,-1,0),a.lookAt(0,0,1),l.up.set(0,-1,0),l.lookAt(0,0,-1);else throw new Error("THREE.CubeCamera.updateCoordinateSystem(): Invalid coordinate system: "+e);for(let c of t)this.add(c),c.updateMatrixWorld()}update(e,t){this.parent===null&&this.updateMatrixWorld();let{renderTarget:n,activeMipmapLevel:s}=this;this.coordinateSystem!==e.coordinateSystem&&(this.coordinateSystem=e.coordinateSystem,this.updateCoordinateSystem());let[r,o,a,l,c,h]=this.children,u=e.getRenderTarget(),f=e.getActiveCubeFace(),d=e.getActiveMipmapLevel(),p=e.xr.enabled;e.xr.enabled=!1;let x=n.texture.mipmapsAutoUpdate;n.texture.mipmapsAutoUpdate=!1;let m=!1;e.isWebGLRenderer===!0?m=e.state.buffers.depth.getReversed():m=e.reversedDepthBuffer,e.setRenderTarget(n,0,s),m&&e.autoClear===!1&&e.clearDepth(),e.render(t,r),e.setRenderTarget(n,1,s),m&&e.autoClear===!1&&e.clearDepth(),e.render(t,o),e.setRenderTarget(n,2,s),m&&e.autoClear===!1&&e.clearDepth(),e.render(t,a),e.setRenderTarget(n,3,s),m&&e.autoClear===!1&&e.clearDepth(),e.render(t,l),e.setRenderTarget(n,4,s),m&&e.autoClear===!1&&e.clearDepth(),e.render(t,c),n.texture.mipmapsAutoUpdate=x,e.setRenderTarget(n,5,s),m&&e.autoClear===!1&&e.clearDepth(),e.render(t,h),e.setRenderTarget(u,f,d),e.xr.enabled=p,n.texture.needsPMREMUpdate=!0}},gc=class extends Xn{constructor(e=[]){super(),this.isArrayCamera=!0,this.isMultiViewCamera=!1,this.cameras=e,this.perCameraFrustumCulled=!1}};var mf="\\[\\]\\.:\\/",cy=new RegExp("["+mf+"]","g"),gf="[^"+mf+"]",hy="[^"+mf.replace("\\.","")+"]",uy=/((?:WC+[\/:])*)/.source.replace("WC",gf),fy=/(WCOD+)?/.source.replace("WCOD",hy),dy=/(?:\.(WC+)(?:\[(.+)\])?)?/.source.replace("WC",gf),py=/\.(WC+)(?:\[(.+)\])?/.source.replace("WC",gf),my=new RegExp("^"+uy+fy+dy+py+"$"),gy=["material","materials","bones","map"],Uu=class{constructor(e,t,n){let s=n||Ut.parseTrackName(t);this._targetGroup=e,this._bindings=e.subscribe_(t,s)}getValue(e,t){this.bind();let n=this._targetGroup.nCachedObjects_,s=this._bindings[n];s!==void 0&&s.getValue(e,t)}setValue(e,t){let n=this._bindings;for(let s=this._targetGroup.nCachedObjects_,r=n.length;s!==r;++s)n[s].setValue(e,t)}bind(){let e=this._bindings;for(let t=this._targetGroup.nCachedObjects_,n=e.length;t!==n;++t)e[t].bind()}unbind(){let e=this._bindings;for(let t=this._targetGroup.nCachedObjects_,n=e.length;t!==n;++t)e[t].unbind()}},Ut=class i{constructor(e,t,n){this.path=t,this.parsedPath=n||i.parseTrackName(t),this.node=i.findNode(e,this.parsedPath.nodeName),this.rootNode=e,this.getValue=this._getValue_unbound,this.setValue=this._setValue_unbound}static create(e,t,n){return e&&e.isAnimationObjectGroup?new i.Composite(e,t,n):new i(e,t,n)}static sanitizeNodeName(e){return e.replace(/\s/g,"_").replace(cy,"")}static parseTrackName(e){let t=my.exec(e);if(t===null)throw new Error("THREE.PropertyBinding: Cannot parse trackName: "+e);let n={nodeName:t[2],objectName:t[3],objectIndex:t[4],propertyName:t[5],propertyIndex:t[6]},s=n.nodeName&&n.nodeName.lastIndexOf(".");if(s!==void 0&&s!==-1){let r=n.nodeName.substring(s+1);gy.indexOf(r)!==-1&&(n.nodeName=n.nodeName.substring(0,s),n.objectName=r)}if(n.propertyName===null||n.propertyName.length===0)throw new Error("THREE.PropertyBinding: can not parse propertyName from trackName: "+e);return n}static findNode(e,t){if(t===void 0||t===""||t==="."||t===-1||t===e.name||t===e.uuid)return e;if(e.skeleton){let n=e.skeleton.getBoneByName(t);if(n!==void 0)return n}if(e.children){let n=function(r){for(let o=0;o<r.length;o++){let a=r[o];if(a.name===t||a.uuid===t)return a;let l=n(a.children);if(l)return l}return null},s=n(e.children);if(s)return s}return null}_getValue_unavailable(){}_setValue_unavailable(){}_getValue_direct(e,t){e[t]=this.targetObject[this.propertyName]}_getValue_array(e,t){let n=this.resolvedProperty;for(let s=0,r=n.length;s!==r;++s)e[t++]=n[s]}_getValue_arrayElement(e,t){e[t]=this.resolvedProperty[this.propertyIndex]}_getValue_toArray(e,t){this.resolvedProperty.toArray(e,t)}_setValue_direct(e,t){this.targetObject[this.propertyName]=e[t]}_setValue_direct_setNeedsUpdate(e,t){this.targetObject[this.propertyName]=e[t],this.targetObject.needsUpdate=!0}_setValue_direct_setMatrixWorldNeedsUpdate(e,t){this.targetObject[this.propertyName]=e[t],this.targetObject.matrixWorldNeedsUpdate=!0}_setValue_array(e,t){let n=this.resolvedProperty;for(let s=0,r=n.length;s!==r;++s)n[s]=e[t++]}_setValue_array_setNeedsUpdate(e,t){let n=this.resolvedProperty;for(let s=0,r=n.length;s!==r;++s)n[s]=e[t++];this.targetObject.needsUpdate=!0}_setValue_array_setMatrixWorldNeedsUpdate(e,t){let n=this.resolvedProperty;for(let s=0,r=n.length;s!==r;++s)n[s]=e[t++];this.targetObject.matrixWorldNeedsUpdate=!0}_setValue_arrayElement(e,t){this.resolvedProperty[this.propertyIndex]=e[t]}_setValue_arrayElement_setNeedsUpdate(e,t){this.resolvedProperty[this.propertyIndex]=e[t],this.targetObject.needsUpdate=!0}_setValue_arrayElement_setMatrixWorldNeedsUpdate(e,t){this.resolvedProperty[this.propertyIndex]=e[t],this.targetObject.matrixWorldNeedsUpdate=!0}_setValue_fromArray(e,t){this.resolvedProperty.fromArray(e,t)}_setValue_fromArray_setNeedsUpdate(e,t){this.resolvedProperty.fromArray(e,t),this.targetObject.needsUpdate=!0}_setValue_fromArray_setMatrixWorldNeedsUpdate(e,t){this.resolvedProperty.fromArray(e,t),this.targetObject.matrixWorldNeedsUpdate=!0}_getValue_unbound(e,t){this.bind(),this.getValue(e,t)}_setValue_unbound(e,t){this.bind(),this.setValue(e,t)}bind(){let e=this.node,t=this.parsedPath,n=t.objectName,s=t.propertyName,r=t.propertyIndex;if(e||(e=i.findNode(this.rootNode,t.nodeName),this.node=e),this.getValue=this._getValue_unavailable,this.setValue=this._setValue_unavailable,!e){tt("PropertyBinding: No target node found for track: "+this.path+".");return}if(n){let c=t.objectIndex;switch(n){case"materials":if(!e.material){at("PropertyBinding: Can not bind to material as node does not have a material.",this);return}if(!e.material.materials){at("PropertyBinding: Can not bind to material.materials as node.material does not have a materials array.",this);return}e=e.material.materials;break;case"bones":if(!e.skeleton){at("PropertyBinding: Can not bind to bones as node does not have a skeleton.",this);return}e=e.skeleton.bones;for(let h=0;h<e.length;h++)if(e[h].name===c){c=h;break}break;case"map":if("map"in e){e=e.map;break}if(!e.material){at("PropertyBinding: Can not bind to material as node does not have a material.",this);return}if(!e.material.map){at("PropertyBinding: Can not bind to material.map as node.material does not have a map.",this);return}e=e.material.map;break;default:if(e[n]===void 0){at("PropertyBinding: Can not bind to objectName of node undefined.",this);return}e=e[n]}if(c!==void 0){if(e[c]===void 0){at("PropertyBinding: Trying to bind to objectIndex of objectName, but is undefined.",this,e);return}e=e[c]}}let o=e[s];if(o===void 0){let c=t.nodeName;at("PropertyBinding: Trying to update property for track: "+c+"."+s+" but it wasn't found.",e);return}let a=this.Versioning.None;this.targetObject=e,e.isMaterial===!0?a=this.Versioning.NeedsUpdate:e.isObject3D===!0&&(a=this.Versioning.MatrixWorldNeedsUpdate);let l=this.BindingType.Direct;if(r!==void 0){if(s==="morphTargetInfluences"){if(!e.geometry){at("PropertyBinding: Can not bind to morphTargetInfluences because node does not have a geometry.",this);return}if(!e.geometry.morphAttributes){at("PropertyBinding: Can not bind to morphTargetInfluences because node does not have a geometry.morphAttributes.",this);return}e.morphTargetDictionary[r]!==void 0&&(r=e.morphTargetDictionary[r])}l=this.BindingType.ArrayElement,this.resolvedProperty=o,this.propertyIndex=r}else o.fromArray!==void 0&&o.toArray!==void 0?(l=this.BindingType.HasFromToArray,this.resolvedProperty=o):Array.isArray(o)?(l=this.BindingType.EntireArray,this.resolvedProperty=o):this.propertyName=s;this.getValue=this.GetterByBindingType[l],this.setValue=this.SetterByBindingTypeAndVersioning[l][a]}unbind(){this.node=null,this.getValue=this._getValue_unbound,this.setValue=this._setValue_unbound}};Ut.Composite=Uu;Ut.prototype.BindingType={Direct:0,EntireArray:1,ArrayElement:2,HasFromToArray:3};Ut.prototype.Versioning={None:0,NeedsUpdate:1,MatrixWorldNeedsUpdate:2};Ut.prototype.GetterByBindingType=[Ut.prototype._getValue_direct,Ut.prototype._getValue_array,Ut.prototype._getValue_arrayElement,Ut.prototype._getValue_toArray];Ut.prototype.SetterByBindingTypeAndVersioning=[[Ut.prototype._setValue_direct,Ut.prototype._setValue_direct_setNeedsUpdate,Ut.prototype._setValue_direct_setMatrixWorldNeedsUpdate],[Ut.prototype._setValue_array,Ut.prototype._setValue_array_setNeedsUpdate,Ut.prototype._setValue_array_setMatrixWorldNeedsUpdate],[Ut.prototype._setValue_arrayElement,Ut.prototype._setValue_arrayElement_setNeedsUpdate,Ut.prototype._setValue_arrayElement_setMatrixWorldNeedsUpdate],[Ut.prototype._setValue_fromArray,Ut.prototype._setValue_fromArray_setNeedsUpdate,Ut.prototype._setValue_fromArray_setMatrixWorldNeedsUpdate]];var hT=new Float32Array(1);var Dp=new Rt,ka=class{constructor(e,t,n=0,s=1/0){this.ray=new fo(e,t),this.near=n,this.far=s,this.camera=null,this.layers=new ho,this.params={Mesh:{},Line:{threshold:1},LOD:{},Points:{threshold:1},Sprite:{}}}set(e,t){this.ray.set(e,t)}setFromCamera(e,t){t.isPerspectiveCamera?(this.ray.origin.setFromMatrixPosition(t.matrixWorld),this.ray.direction.set(e.x,e.y,.5).unproject(t).sub(this.ray.origin).normalize(),this.camera=t):t.isOrthographicCamera?(this.ray.origin.set(e.x,e.y,t.projectionMatrix.elements[14]).unproject(t),this.ray.direction.set(0,0,-1).transformDirection(t.matrixWorld),this.camera=t):at("Raycaster: Unsupported camera type: "+t.type)}setFromXRController(e){return Dp.identity().extractRotation(e.matrixWorld),this.ray.origin.setFromMatrixPosition(e.matrixWorld),this.ray.direction.set(0,0,-1).applyMatrix4(Dp),this}intersectObject(e,t=!0,n=[]){return Fu(e,this,n,t),n.sort(Up),n}intersectObjects(e,t=!0,n=[]){for(let s=0,r=e.length;s<r;s++)Fu(e[s],this,n,t);return n.sort(Up),n}};function Up(i,e){return i.distance-e.distance}function Fu(i,e,t,n){let s=!0;if(i.layers.test(e.layers)&&i.raycast(e,t)===!1&&(s=!1),s===!0&&n===!0){let r=i.children;for(let o=0,a=r.length;o<a;o++)Fu(r[o],e,t,!0)}}var Ou=class{static{this.prototype.isMatrix2=!0}constructor(e,t,n,s){this.elements=[1,0,0,1],e!==void 0&&this.set(e,t,n,s)}identity(){return this.set(1,0,0,1),this}fromArray(e,t=0){for(let n=0;n<4;n++)this.elements[n]=e[n+t];return this}set(e,t,n,s){let r=this.elements;return r[0]=e,r[2]=t,r[1]=n,r[3]=s,this}};function xf(i,e,t,n){let s=xy(n);switch(t){case nf:return i*e;case bc:return i*e/s.components*s.byteLength;case wc:return i*e/s.components*s.byteLength;case Js:return i*e*2/s.components*s.byteLength;case Ac:return i*e*2/s.components*s.byteLength;case sf:return i*e*3/s.components*s.byteLength;case oi:return i*e*4/s.components*s.byteLength;case Tc:return i*e*4/s.components*s.byteLength;case Va:case Ha:return Math.floor((i+3)/4)*Math.floor((e+3)/4)*8;case Wa:case Xa:return Math.floor((i+3)/4)*Math.floor((e+3)/4)*16;case Rc:case Ic:return Math.max(i,16)*Math.max(e,8)/4;case Ec:case Cc:return Math.max(i,8)*Math.max(e,8)/2;case Pc:case Lc:case Dc:case Uc:return Math.floor((i+3)/4)*Math.floor((e+3)/4)*8;case Nc:case qa:case Fc:return Math.floor((i+3)/4)*Math.floor((e+3)/4)*16;case Oc:return Math.floor((i+3)/4)*Math.floor((e+3)/4)*16;case Bc:return Math.floor((i+4)/5)*Math.floor((e+3)/4)*16;case zc:return Math.floor((i+4)/5)*Math.floor((e+4)/5)*16;case kc:return Math.floor((i+5)/6)*Math.floor((e+4)/5)*16;case Gc:return Math.floor((i+5)/6)*Math.floor((e+5)/6)*16;case Vc:return Math.floor((i+7)/8)*Math.floor((e+4)/5)*16;case Hc:return Math.floor((i+7)/8)*Math.floor((e+5)/6)*16;case Wc:return Math.floor((i+7)/8)*Math.floor((e+7)/8)*16;case Xc:return Math.floor((i+9)/10)*Math.floor((e+4)/5)*16;case qc:return Math.floor((i+9)/10)*Math.floor((e+5)/6)*16;case Yc:return Math.floor((i+9)/10)*Math.floor((e+7)/8)*16;case $c:return Math.floor((i+9)/10)*Math.floor((e+9)/10)*16;case Zc:return Math.floor((i+11)/12)*Math.floor((e+9)/10)*16;case Jc:return Math.floor((i+11)/12)*Math.floor((e+11)/12)*16;case Kc:case jc:case Qc:return Math.ceil(i/4)*Math.ceil(e/4)*16;case eh:case th:return Math.ceil(i/4)*Math.ceil(e/4)*8;case Ya:case nh:return Math.ceil(i/4)*Math.ceil(e/4)*16}throw new Error(`Unable to determine texture byte length for ${t} format.`)}function xy(i){switch(i){case Jn:case ju:return{byteLength:1,components:1};case Eo:case Qu:case Oi:return{byteLength:2,components:1};case Mc:case Sc:return{byteLength:2,components:4};case Fi:case vc:case wi:return{byteLength:4,components:1};case ef:case tf:return{byteLength:4,components:3}}throw new Error(`THREE.TextureUtils: Unknown texture type ${i}.`)}typeof __THREE_DEVTOOLS__<"u"&&__THREE_DEVTOOLS__.dispatchEvent(new CustomEvent("register",{detail:{revision:"187"}}));typeof window<"u"&&(window.__THREE__?tt("WARNING: Multiple instances of Three.js being imported."):window.__THREE__="187");/**
 * @license
 * Copyright 2010-2026 Three.js Authors
 * SPDX-License-Identifier: MIT
 */function Jm(){let i=null,e=!1,t=null,n=null;function s(r,o){n=i.requestAnimationFrame(s),t(r,o)}return{start:function(){e!==!0&&t!==null&&i!==null&&(n=i.requestAnimationFrame(s),e=!0)},stop:function(){i!==null&&i.cancelAnimationFrame(n),e=!1},setAnimationLoop:function(r){t=r},setContext:function(r){i=r}}}function by(i){let e=new WeakMap;function t(a,l){let c=a.array,h=a.usage,u=c.byteLength,f=i.createBuffer();i.bindBuffer(l,f),i.bufferData(l,c,h),a.onUploadCallback();let d;if(c instanceof Float32Array)d=i.FLOAT;else if(typeof Float16Array<"u"&&c instanceof Float16Array)d=i.HALF_FLOAT;else if(c instanceof Uint16Array)a.isFloat16BufferAttribute?d=i.HALF_FLOAT:d=i.UNSIGNED_SHORT;else if(c instanceof Int16Array)d=i.SHORT;else if(c instanceof Uint32Array)d=i.UNSIGNED_INT;else if(c instanceof Int32Array)d=i.INT;else if(c instanceof Int8Array)d=i.BYTE;else if(c instanceof Uint8Array)d=i.UNSIGNED_BYTE;else if(c instanceof Uint8ClampedArray)d=i.UNSIGNED_BYTE;else throw new Error("THREE.WebGLAttributes: Unsupported buffer data format: "+c);return{buffer:f,type:d,bytesPerElement:c.BYTES_PER_ELEMENT,version:a.version,size:u}}function n(a,l,c){let h=l.array,u=l.updateRanges;if(i.bindBuffer(c,a),u.length===0)i.bufferSubData(c,0,h);else{u.sort((d,p)=>d.start-p.start);let f=0;for(let d=1;d<u.length;d++){let p=u[f],x=u[d];x.start<=p.start+p.count+1?p.count=Math.max(p.count,x.start+x.count-p.start):(++f,u[f]=x)}u.length=f+1;for(let d=0,p=u.length;d<p;d++){let x=u[d];i.bufferSubData(c,x.start*h.BYTES_PER_ELEMENT,h,x.start,x.count)}l.clearUpdateRanges()}l.onUploadCallback()}function s(a){return a.isInterleavedBufferAttribute&&(a=a.data),e.get(a)}function r(a){a.isInterleavedBufferAttribute&&(a=a.data);let l=e.get(a);l&&(i.deleteBuffer(l.buffer),e.delete(a))}function o(a,l){if(a.isInterleavedBufferAttribute&&(a=a.data),a.isGLBufferAttribute){let h=e.get(a);(!h||h.version<a.version)&&e.set(a,{buffer:a.buffer,type:a.type,bytesPerElement:a.elementSize,version:a.version});return}let c=e.get(a);if(c===void 0)e.set(a,t(a,l));else if(c.version<a.version){if(c.size!==a.array.byteLength)throw new Error("THREE.WebGLAttributes: The size of the buffer attribute's array buffer does not match the original size. Resizing buffer attributes is not supported.");n(c.buffer,a,l),c.version=a.version}}return{get:s,remove:r,update:o}}var wy=`#ifdef USE_ALPHAHASH
	if ( diffuseColor.a < getAlphaHashThreshold( vPosition ) ) discard;
#endif`,Ay=`#ifdef USE_ALPHAHASH
	const float ALPHA_HASH_SCALE = 0.05;
	float hash2D( vec2 value ) {
		return fract( 1.0e4 * sin( 17.0 * value.x + 0.1 * value.y ) * ( 0.1 + abs( sin( 13.0 * value.y + value.x ) ) ) );
	}
	float hash3D( vec3 value ) {
		return hash2D( vec2( hash2D( value.xy ), value.z ) );
	}
	float getAlphaHashThreshold( vec3 position ) {
		float maxDeriv = max(
			length( dFdx( position.xyz ) ),
			length( dFdy( position.xyz ) )
		);
		float pixScale = 1.0 / ( ALPHA_HASH_SCALE * maxDeriv );
		vec2 pixScales = vec2(
			exp2( floor( log2( pixScale ) ) ),
			exp2( ceil( log2( pixScale ) ) )
		);
		vec2 alpha = vec2(
			hash3D( floor( pixScales.x * position.xyz ) ),
			hash3D( floor( pixScales.y * position.xyz ) )
		);
		float lerpFactor = fract( log2( pixScale ) );
		float x = ( 1.0 - lerpFactor ) * alpha.x + lerpFactor * alpha.y;
		float a = min( lerpFactor, 1.0 - lerpFactor );
		vec3 cases = vec3(
			x * x / ( 2.0 * a * ( 1.0 - a ) ),
			( x - 0.5 * a ) / ( 1.0 - a ),
			1.0 - ( ( 1.0 - x ) * ( 1.0 - x ) / ( 2.0 * a * ( 1.0 - a ) ) )
		);
		float threshold = ( x < ( 1.0 - a ) )
			? ( ( x < a ) ? cases.x : cases.y )
			: cases.z;
		return clamp( threshold , 1.0e-6, 1.0 );
	}
#endif`,Ty=`#ifdef USE_ALPHAMAP
	diffuseColor.a *= texture2D( alphaMap, vAlphaMapUv ).g;
#endif`,Ey=`#ifdef USE_ALPHAMAP
	uniform sampler2D alphaMap;
#endif`,Ry=`#ifdef USE_ALPHATEST
	#ifdef ALPHA_TO_COVERAGE
	diffuseColor.a = smoothstep( alphaTest, alphaTest + fwidth( diffuseColor.a ), diffuseColor.a );
	if ( diffuseColor.a == 0.0 ) discard;
	#else
	if ( diffuseColor.a < alphaTest ) discard;
	#endif
#endif`,Cy=`#ifdef USE_ALPHATEST
	uniform float alphaTest;
#endif`,Iy=`#ifdef USE_AOMAP
	float ambientOcclusion = ( texture2D( aoMap, vAoMapUv ).r - 1.0 ) * aoMapIntensity + 1.0;
	reflectedLight.indirectDiffuse *= ambientOcclusion;
	#if defined( USE_CLEARCOAT ) 
		clearcoatSpecularIndirect *= ambientOcclusion;
	#endif
	#if defined( USE_SHEEN ) 
		sheenSpecularIndirect *= ambientOcclusion;
	#endif
	#if defined( USE_ENVMAP ) && defined( STANDARD )
		float dotNV = saturate( dot( geometryNormal, geometryViewDir ) );
		reflectedLight.indirectSpecular *= computeSpecularOcclusion( dotNV, ambientOcclusion, material.roughness );
	#endif
#endif`,Py=`#ifdef USE_AOMAP
	uniform sampler2D aoMap;
	uniform float aoMapIntensity;
#endif`,Ly=`#ifdef USE_BATCHING
	#if ! defined( GL_ANGLE_multi_draw )
	#define gl_DrawID _gl_DrawID
	uniform int _gl_DrawID;
	#endif
	uniform highp sampler2D batchingTexture;
	uniform highp usampler2D batchingIdTexture;
	mat4 getBatchingMatrix( const in float i ) {
		int size = textureSize( batchingTexture, 0 ).x;
		int j = int( i ) * 4;
		int x = j % size;
		int y = j / size;
		vec4 v1 = texelFetch( batchingTexture, ivec2( x, y ), 0 );
		vec4 v2 = texelFetch( batchingTexture, ivec2( x + 1, y ), 0 );
		vec4 v3 = texelFetch( batchingTexture, ivec2( x + 2, y ), 0 );
		vec4 v4 = texelFetch( batchingTexture, ivec2( x + 3, y ), 0 );
		return mat4( v1, v2, v3, v4 );
	}
	float getIndirectIndex( const in int i ) {
		int size = textureSize( batchingIdTexture, 0 ).x;
		int x = i % size;
		int y = i / size;
		return float( texelFetch( batchingIdTexture, ivec2( x, y ), 0 ).r );
	}
#endif
#ifdef USE_BATCHING_COLOR
	uniform sampler2D batchingColorTexture;
	vec4 getBatchingColor( const in float i ) {
		int size = textureSize( batchingColorTexture, 0 ).x;
		int j = int( i );
		int x = j % size;
		int y = j / size;
		return texelFetch( batchingColorTexture, ivec2( x, y ), 0 );
	}
#endif`,Ny=`#ifdef USE_BATCHING
	mat4 batchingMatrix = getBatchingMatrix( getIndirectIndex( gl_DrawID ) );
#endif`,Dy=`vec3 transformed = vec3( position );
#ifdef USE_ALPHAHASH
	vPosition = vec3( position );
#endif`,Uy=`vec3 objectNormal = vec3( normal );
#ifdef USE_TANGENT
	vec3 objectTangent = vec3( tangent.xyz );
#endif`,Fy=`float G_BlinnPhong_Implicit( ) {
	return 0.25;
}
float D_BlinnPhong( const in float shininess, const in float dotNH ) {
	return RECIPROCAL_PI * ( shininess * 0.5 + 1.0 ) * pow( dotNH, shininess );
}
vec3 BRDF_BlinnPhong( const in vec3 lightDir, const in vec3 viewDir, const in vec3 normal, const in vec3 specularColor, const in float shininess ) {
	vec3 halfDir = normalize( lightDir + viewDir );
	float dotNH = saturate( dot( normal, halfDir ) );
	float dotVH = saturate( dot( viewDir, halfDir ) );
	vec3 F = F_Schlick( specularColor, 1.0, dotVH );
	float G = G_BlinnPhong_Implicit( );
	float D = D_BlinnPhong( shininess, dotNH );
	return F * ( G * D );
} // validated`,Oy=`#ifdef USE_IRIDESCENCE
	const mat3 XYZ_TO_REC709 = mat3(
		 3.2404542, -0.9692660,  0.0556434,
		-1.5371385,  1.8760108, -0.2040259,
		-0.4985314,  0.0415560,  1.0572252
	);
	vec3 Fresnel0ToIor( vec3 fresnel0 ) {
		vec3 sqrtF0 = sqrt( fresnel0 );
		return ( vec3( 1.0 ) + sqrtF0 ) / ( vec3( 1.0 ) - sqrtF0 );
	}
	vec3 IorToFresnel0( vec3 transmittedIor, float incidentIor ) {
		return pow2( ( transmittedIor - vec3( incidentIor ) ) / ( transmittedIor + vec3( incidentIor ) ) );
	}
	float IorToFresnel0( float transmittedIor, float incidentIor ) {
		return pow2( ( transmittedIor - incidentIor ) / ( transmittedIor + incidentIor ));
	}
	vec3 evalSensitivity( float OPD, vec3 shift ) {
		float phase = 2.0 * PI * OPD * 1.0e-9;
		vec3 val = vec3( 5.4856e-13, 4.4201e-13, 5.2481e-13 );
		vec3 pos = vec3( 1.6810e+06, 1.7953e+06, 2.2084e+06 );
		vec3 var = vec3( 4.3278e+09, 9.3046e+09, 6.6121e+09 );
		vec3 xyz = val * sqrt( 2.0 * PI * var ) * cos( pos * phase + shift ) * exp( - pow2( phase ) * var );
		xyz.x += 9.7470e-14 * sqrt( 2.0 * PI * 4.5282e+09 ) * cos( 2.2399e+06 * phase + shift[ 0 ] ) * exp( - 4.5282e+09 * pow2( phase ) );
		xyz /= 1.0685e-7;
		vec3 rgb = XYZ_TO_REC709 * xyz;
		return rgb;
	}
	vec3 evalIridescence( float outsideIOR, float eta2, float cosTheta1, float thinFilmThickness, vec3 baseF0 ) {
		vec3 I;
		float iridescenceIOR = mix( outsideIOR, eta2, smoothstep( 0.0, 0.03, thinFilmThickness ) );
		float sinTheta2Sq = pow2( outsideIOR / iridescenceIOR ) * ( 1.0 - pow2( cosTheta1 ) );
		float cosTheta2Sq = 1.0 - sinTheta2Sq;
		if ( cosTheta2Sq < 0.0 ) {
			return vec3( 1.0 );
		}
		float cosTheta2 = sqrt( cosTheta2Sq );
		float R0 = IorToFresnel0( iridescenceIOR, outsideIOR );
		float R12 = F_Schlick( R0, 1.0, cosTheta1 );
		float T121 = 1.0 - R12;
		float phi12 = 0.0;
		if ( iridescenceIOR < outsideIOR ) phi12 = PI;
		float phi21 = PI - phi12;
		vec3 baseIOR = Fresnel0ToIor( clamp( baseF0, 0.0, 0.9999 ) );		vec3 R1 = IorToFresnel0( baseIOR, iridescenceIOR );
		vec3 R23 = F_Schlick( R1, 1.0, cosTheta2 );
		vec3 phi23 = vec3( 0.0 );
		if ( baseIOR[ 0 ] < iridescenceIOR ) phi23[ 0 ] = PI;
		if ( baseIOR[ 1 ] < iridescenceIOR ) phi23[ 1 ] = PI;
		if ( baseIOR[ 2 ] < iridescenceIOR ) phi23[ 2 ] = PI;
		float OPD = 2.0 * iridescenceIOR * thinFilmThickness * cosTheta2;
		vec3 phi = vec3( phi21 ) + phi23;
		vec3 R123 = clamp( R12 * R23, 1e-5, 0.9999 );
		vec3 r123 = sqrt( R123 );
		vec3 Rs = pow2( T121 ) * R23 / ( vec3( 1.0 ) - R123 );
		vec3 C0 = R12 + Rs;
		I = C0;
		vec3 Cm = Rs - T121;
		for ( int m = 1; m <= 2; ++ m ) {
			Cm *= r123;
			vec3 Sm = 2.0 * evalSensitivity( float( m ) * OPD, float( m ) * phi );
			I += Cm * Sm;
		}
		return max( I, vec3( 0.0 ) );
	}
#endif`,By=`#ifdef USE_BUMPMAP
	uniform sampler2D bumpMap;
	uniform float bumpScale;
	vec2 dHdxy_fwd() {
		vec2 dSTdx = dFdx( vBumpMapUv );
		vec2 dSTdy = dFdy( vBumpMapUv );
		float Hll = bumpScale * texture2D( bumpMap, vBumpMapUv ).x;
		float dBx = bumpScale * texture2D( bumpMap, vBumpMapUv + dSTdx ).x - Hll;
		float dBy = bumpScale * texture2D( bumpMap, vBumpMapUv + dSTdy ).x - Hll;
		return vec2( dBx, dBy );
	}
	vec3 perturbNormalArb( vec3 surf_pos, vec3 surf_norm, vec2 dHdxy, float faceDirection ) {
		vec3 vSigmaX = normalize( dFdx( surf_pos.xyz ) );
		vec3 vSigmaY = normalize( dFdy( surf_pos.xyz ) );
		vec3 vN = surf_norm;
		vec3 R1 = cross( vSigmaY, vN );
		vec3 R2 = cross( vN, vSigmaX );
		float fDet = dot( vSigmaX, R1 ) * faceDirection;
		vec3 vGrad = sign( fDet ) * ( dHdxy.x * R1 + dHdxy.y * R2 );
		return normalize( abs( fDet ) * surf_norm - vGrad );
	}
#endif`,zy=`#if NUM_CLIPPING_PLANES > 0
	vec4 plane;
	#ifdef ALPHA_TO_COVERAGE
		float distanceToPlane, distanceGradient;
		float clipOpacity = 1.0;
		#pragma unroll_loop_start
		for ( int i = 0; i < UNION_CLIPPING_PLANES; i ++ ) {
			plane = clippingPlanes[ i ];
			distanceToPlane = - dot( vClipPosition, plane.xyz ) + plane.w;
			distanceGradient = fwidth( distanceToPlane ) / 2.0;
			clipOpacity *= smoothstep( - distanceGradient, distanceGradient, distanceToPlane );
			if ( clipOpacity == 0.0 ) discard;
		}
		#pragma unroll_loop_end
		#if UNION_CLIPPING_PLANES < NUM_CLIPPING_PLANES
			float unionClipOpacity = 1.0;
			#pragma unroll_loop_start
			for ( int i = UNION_CLIPPING_PLANES; i < NUM_CLIPPING_PLANES; i ++ ) {
				plane = clippingPlanes[ i ];
				distanceToPlane = - dot( vClipPosition, plane.xyz ) + plane.w;
				distanceGradient = fwidth( distanceToPlane ) / 2.0;
				unionClipOpacity *= 1.0 - smoothstep( - distanceGradient, distanceGradient, distanceToPlane );
			}
			#pragma unroll_loop_end
			clipOpacity *= 1.0 - unionClipOpacity;
		#endif
		diffuseColor.a *= clipOpacity;
		if ( diffuseColor.a == 0.0 ) discard;
	#else
		#pragma unroll_loop_start
		for ( int i = 0; i < UNION_CLIPPING_PLANES; i ++ ) {
			plane = clippingPlanes[ i ];
			if ( dot( vClipPosition, plane.xyz ) > plane.w ) discard;
		}
		#pragma unroll_loop_end
		#if UNION_CLIPPING_PLANES < NUM_CLIPPING_PLANES
			bool clipped = true;
			#pragma unroll_loop_start
			for ( int i = UNION_CLIPPING_PLANES; i < NUM_CLIPPING_PLANES; i ++ ) {
				plane = clippingPlanes[ i ];
				clipped = ( dot( vClipPosition, plane.xyz ) > plane.w ) && clipped;
			}
			#pragma unroll_loop_end
			if ( clipped ) discard;
		#endif
	#endif
#endif`,ky=`#if NUM_CLIPPING_PLANES > 0
	varying vec3 vClipPosition;
	uniform vec4 clippingPlanes[ NUM_CLIPPING_PLANES ];
#endif`,Gy=`#if NUM_CLIPPING_PLANES > 0
	varying vec3 vClipPosition;
#endif`,Vy=`#if NUM_CLIPPING_PLANES > 0
	vClipPosition = - mvPosition.xyz;
#endif`,Hy=`#if defined( USE_COLOR ) || defined( USE_COLOR_ALPHA )
	diffuseColor *= vColor;
#endif`,Wy=`#if defined( USE_COLOR ) || defined( USE_COLOR_ALPHA )
	varying vec4 vColor;
#endif`,Xy=`#if defined( USE_COLOR ) || defined( USE_COLOR_ALPHA ) || defined( USE_INSTANCING_COLOR ) || defined( USE_BATCHING_COLOR )
	varying vec4 vColor;
#endif`,qy=`#if defined( USE_COLOR ) || defined( USE_COLOR_ALPHA ) || defined( USE_INSTANCING_COLOR ) || defined( USE_BATCHING_COLOR )
	vColor = vec4( 1.0 );
#endif
#ifdef USE_COLOR_ALPHA
	vColor *= color;
#elif defined( USE_COLOR )
	vColor.rgb *= color;
#endif
#ifdef USE_INSTANCING_COLOR
	vColor.rgb *= instanceColor.rgb;
#endif
#ifdef USE_BATCHING_COLOR
	vColor *= getBatchingColor( getIndirectIndex( gl_DrawID ) );
#endif`,Yy=`#define PI 3.141592653589793
#define PI2 6.283185307179586
#define PI_HALF 1.5707963267948966
#define RECIPROCAL_PI 0.3183098861837907
#define RECIPROCAL_PI2 0.15915494309189535
#define EPSILON 1e-6
#ifndef saturate
#define saturate( a ) clamp( a, 0.0, 1.0 )
#endif
#define whiteComplement( a ) ( 1.0 - saturate( a ) )
float pow2( const in float x ) { return x*x; }
vec3 pow2( const in vec3 x ) { return x*x; }
float pow3( const in float x ) { return x*x*x; }
float pow4( const in float x ) { float x2 = x*x; return x2*x2; }
float max3( const in vec3 v ) { return max( max( v.x, v.y ), v.z ); }
float average( const in vec3 v ) { return dot( v, vec3( 0.3333333 ) ); }
highp float rand( const in vec2 uv ) {
	const highp float a = 12.9898, b = 78.233, c = 43758.5453;
	highp float dt = dot( uv.xy, vec2( a,b ) ), sn = mod( dt, PI );
	return fract( sin( sn ) * c );
}
#ifdef HIGH_PRECISION
	float precisionSafeLength( vec3 v ) { return length( v ); }
#else
	float precisionSafeLength( vec3 v ) {
		float maxComponent = max3( abs( v ) );
		return length( v / maxComponent ) * maxComponent;
	}
#endif
struct IncidentLight {
	vec3 color;
	vec3 direction;
	bool visible;
};
struct ReflectedLight {
	vec3 directDiffuse;
	vec3 directSpecular;
	vec3 indirectDiffuse;
	vec3 indirectSpecular;
};
#ifdef USE_ALPHAHASH
	varying vec3 vPosition;
#endif
vec3 transformDirection( in vec3 dir, in mat4 matrix ) {
	return normalize( ( matrix * vec4( dir, 0.0 ) ).xyz );
}
#define inverseTransformDirection transformDirectionByInverseViewMatrix
vec3 transformNormalByInverseViewMatrix( in vec3 normal, in mat4 viewMatrix ) {
	return normalize( ( vec4( normal, 0.0 ) * viewMatrix ).xyz );
}
vec3 transformDirectionByInverseViewMatrix( in vec3 dir, in mat4 viewMatrix ) {
	return normalize( ( vec4( dir, 0.0 ) * viewMatrix ).xyz );
}
bool isPerspectiveMatrix( mat4 m ) {
	return m[ 2 ][ 3 ] == - 1.0;
}
vec2 equirectUv( in vec3 dir ) {
	float u = atan( dir.z, dir.x ) * RECIPROCAL_PI2 + 0.5;
	float v = asin( clamp( dir.y, - 1.0, 1.0 ) ) * RECIPROCAL_PI + 0.5;
	return vec2( u, v );
}
vec3 BRDF_Lambert( const in vec3 diffuseColor ) {
	return RECIPROCAL_PI * diffuseColor;
}
vec3 F_Schlick( const in vec3 f0, const in float f90, const in float dotVH ) {
	float fresnel = exp2( ( - 5.55473 * dotVH - 6.98316 ) * dotVH );
	return f0 * ( 1.0 - fresnel ) + ( f90 * fresnel );
}
float F_Schlick( const in float f0, const in float f90, const in float dotVH ) {
	float fresnel = exp2( ( - 5.55473 * dotVH - 6.98316 ) * dotVH );
	return f0 * ( 1.0 - fresnel ) + ( f90 * fresnel );
} // validated`,$y=`vec3 transformedNormal = objectNormal;
#ifdef USE_TANGENT
	vec3 transformedTangent = objectTangent;
#endif
#ifdef USE_BATCHING
	mat3 bm = mat3( batchingMatrix );
	transformedNormal /= vec3( dot( bm[ 0 ], bm[ 0 ] ), dot( bm[ 1 ], bm[ 1 ] ), dot( bm[ 2 ], bm[ 2 ] ) );
	transformedNormal = bm * transformedNormal;
	#ifdef USE_TANGENT
		transformedTangent = bm * transformedTangent;
	#endif
#endif
#ifdef USE_INSTANCING
	mat3 im = mat3( instanceMatrix );
	transformedNormal /= vec3( dot( im[ 0 ], im[ 0 ] ), dot( im[ 1 ], im[ 1 ] ), dot( im[ 2 ], im[ 2 ] ) );
	transformedNormal = im * transformedNormal;
	#ifdef USE_TANGENT
		transformedTangent = im * transformedTangent;
	#endif
#endif
transformedNormal = normalMatrix * transformedNormal;
#ifdef FLIP_SIDED
	transformedNormal = - transformedNormal;
#endif
#ifdef USE_TANGENT
	transformedTangent = ( modelViewMatrix * vec4( transformedTangent, 0.0 ) ).xyz;
#endif`,Zy=`#ifdef USE_DISPLACEMENTMAP
	uniform sampler2D displacementMap;
	uniform float displacementScale;
	uniform float displacementBias;
#endif`,Jy=`#ifdef USE_DISPLACEMENTMAP
	transformed += normalize( objectNormal ) * ( texture2D( displacementMap, vDisplacementMapUv ).x * displacementScale + displacementBias );
#endif`,Ky=`#ifdef USE_EMISSIVEMAP
	vec4 emissiveColor = texture2D( emissiveMap, vEmissiveMapUv );
	#ifdef DECODE_VIDEO_TEXTURE_EMISSIVE
		emissiveColor = sRGBTransferEOTF( emissiveColor );
	#endif
	totalEmissiveRadiance *= emissiveColor.rgb;
#endif`,jy=`#ifdef USE_EMISSIVEMAP
	uniform sampler2D emissiveMap;
#endif`,Qy="gl_FragColor = linearToOutputTexel( gl_FragColor );",ev=`vec4 LinearTransferOETF( in vec4 value ) {
	return value;
}
vec4 sRGBTransferEOTF( in vec4 value ) {
	return vec4( mix( pow( value.rgb * 0.9478672986 + vec3( 0.0521327014 ), vec3( 2.4 ) ), value.rgb * 0.0773993808, vec3( lessThanEqual( value.rgb, vec3( 0.04045 ) ) ) ), value.a );
}
vec4 sRGBTransferOETF( in vec4 value ) {
	return vec4( mix( pow( value.rgb, vec3( 0.41666 ) ) * 1.055 - vec3( 0.055 ), value.rgb * 12.92, vec3( lessThanEqual( value.rgb, vec3( 0.0031308 ) ) ) ), value.a );
}`,tv=`#ifdef USE_ENVMAP
	#ifdef ENV_WORLDPOS
		vec3 cameraToFrag;
		if ( isOrthographic ) {
			cameraToFrag = normalize( vec3( - viewMatrix[ 0 ][ 2 ], - viewMatrix[ 1 ][ 2 ], - viewMatrix[ 2 ][ 2 ] ) );
		} else {
			cameraToFrag = normalize( vWorldPosition - cameraPosition );
		}
		vec3 worldNormal = transformNormalByInverseViewMatrix( normal, viewMatrix );
		#ifdef ENVMAP_MODE_REFLECTION
			vec3 reflectVec = reflect( cameraToFrag, worldNormal );
		#else
			vec3 reflectVec = refract( cameraToFrag, worldNormal, refractionRatio );
		#endif
	#else
		vec3 reflectVec = vReflect;
	#endif
	#ifdef ENVMAP_TYPE_CUBE
		vec4 envColor = textureCube( envMap, envMapRotation * reflectVec );
		#ifdef ENVMAP_BLENDING_MULTIPLY
			outgoingLight = mix( outgoingLight, outgoingLight * envColor.xyz, specularStrength * reflectivity );
		#elif defined( ENVMAP_BLENDING_MIX )
			outgoingLight = mix( outgoingLight, envColor.xyz, specularStrength * reflectivity );
		#elif defined( ENVMAP_BLENDING_ADD )
			outgoingLight += envColor.xyz * specularStrength * reflectivity;
		#endif
	#endif
#endif`,nv=`#ifdef USE_ENVMAP
	uniform float envMapIntensity;
	uniform mat3 envMapRotation;
	uniform samplerCube envMap;
	#ifdef ENVMAP_TYPE_PMREM
		float roughnessToMip( const in float roughness ) {
			float r = clamp( roughness, 0.0, 1.0 );
			return ENVMAP_MAX_LOD * r * ( 2.0 - r );
		}
	#endif
#endif`,iv=`#ifdef USE_ENVMAP
	uniform float reflectivity;
	#if defined( USE_BUMPMAP ) || defined( USE_NORMALMAP ) || defined( PHONG ) || defined( LAMBERT )
		#define ENV_WORLDPOS
	#endif
	#ifdef ENV_WORLDPOS
		varying vec3 vWorldPosition;
		uniform float refractionRatio;
	#else
		varying vec3 vReflect;
	#endif
#endif`,sv=`#ifdef USE_ENVMAP
	#if defined( USE_BUMPMAP ) || defined( USE_NORMALMAP ) || defined( PHONG ) || defined( LAMBERT )
		#define ENV_WORLDPOS
	#endif
	#ifdef ENV_WORLDPOS
		
		varying vec3 vWorldPosition;
	#else
		varying vec3 vReflect;
		uniform float refractionRatio;
	#endif
#endif`,rv=`#ifdef USE_ENVMAP
	#ifdef ENV_WORLDPOS
		vWorldPosition = worldPosition.xyz;
	#else
		vec3 cameraToVertex;
		if ( isOrthographic ) {
			cameraToVertex = normalize( vec3( - viewMatrix[ 0 ][ 2 ], - viewMatrix[ 1 ][ 2 ], - viewMatrix[ 2 ][ 2 ] ) );
		} else {
			cameraToVertex = normalize( worldPosition.xyz - cameraPosition );
		}
		vec3 worldNormal = transformNormalByInverseViewMatrix( transformedNormal, viewMatrix );
		#ifdef ENVMAP_MODE_REFLECTION
			vReflect = reflect( cameraToVertex, worldNormal );
		#else
			vReflect = refract( cameraToVertex, worldNormal, refractionRatio );
		#endif
	#endif
#endif`,ov=`#ifdef USE_FOG
	vFogDepth = - mvPosition.z;
#endif`,av=`#ifdef USE_FOG
	varying float vFogDepth;
#endif`,lv=`#ifdef USE_FOG
	#ifdef FOG_EXP2
		float fogFactor = 1.0 - exp( - fogDensity * fogDensity * vFogDepth * vFogDepth );
	#else
		float fogFactor = smoothstep( fogNear, fogFar, vFogDepth );
	#endif
	gl_FragColor.rgb = mix( gl_FragColor.rgb, fogColor, fogFactor );
#endif`,cv=`#ifdef USE_FOG
	uniform vec3 fogColor;
	varying float vFogDepth;
	#ifdef FOG_EXP2
		uniform float fogDensity;
	#else
		uniform float fogNear;
		uniform float fogFar;
	#endif
#endif`,hv=`#ifdef USE_GRADIENTMAP
	uniform sampler2D gradientMap;
#endif
vec3 getGradientIrradiance( vec3 normal, vec3 lightDirection ) {
	float dotNL = dot( normal, lightDirection );
	vec2 coord = vec2( dotNL * 0.5 + 0.5, 0.0 );
	#ifdef USE_GRADIENTMAP
		return vec3( texture2D( gradientMap, coord ).r );
	#else
		vec2 fw = fwidth( coord ) * 0.5;
		return mix( vec3( 0.7 ), vec3( 1.0 ), smoothstep( 0.7 - fw.x, 0.7 + fw.x, coord.x ) );
	#endif
}`,uv=`#ifdef USE_LIGHTMAP
	uniform sampler2D lightMap;
	uniform float lightMapIntensity;
#endif`,fv=`LambertMaterial material;
material.diffuseColor = diffuseColor.rgb;
material.specularStrength = specularStrength;`,dv=`varying vec3 vViewPosition;
struct LambertMaterial {
	vec3 diffuseColor;
	float specularStrength;
};
void RE_Direct_Lambert( const in IncidentLight directLight, const in vec3 geometryPosition, const in vec3 geometryNormal, const in vec3 geometryViewDir, const in vec3 geometryClearcoatNormal, const in LambertMaterial material, inout ReflectedLight reflectedLight ) {
	float dotNL = saturate( dot( geometryNormal, directLight.direction ) );
	vec3 irradiance = dotNL * directLight.color;
	reflectedLight.directDiffuse += irradiance * BRDF_Lambert( material.diffuseColor );
}
void RE_IndirectDiffuse_Lambert( const in vec3 irradiance, const in vec3 geometryPosition, const in vec3 geometryNormal, const in vec3 geometryViewDir, const in vec3 geometryClearcoatNormal, const in LambertMaterial material, inout ReflectedLight reflectedLight ) {
	reflectedLight.indirectDiffuse += irradiance * BRDF_Lambert( material.diffuseColor );
}
#define RE_Direct				RE_Direct_Lambert
#define RE_IndirectDiffuse		RE_IndirectDiffuse_Lambert`,pv=`uniform bool receiveShadow;
uniform vec3 ambientLightColor;
#if defined( USE_LIGHT_PROBES )
	uniform vec3 lightProbe[ 9 ];
#endif
vec3 shGetIrradianceAt( in vec3 normal, in vec3 shCoefficients[ 9 ] ) {
	float x = normal.x, y = normal.y, z = normal.z;
	vec3 result = shCoefficients[ 0 ] * 0.886227;
	result += shCoefficients[ 1 ] * 2.0 * 0.511664 * y;
	result += shCoefficients[ 2 ] * 2.0 * 0.511664 * z;
	result += shCoefficients[ 3 ] * 2.0 * 0.511664 * x;
	result += shCoefficients[ 4 ] * 2.0 * 0.429043 * x * y;
	result += shCoefficients[ 5 ] * 2.0 * 0.429043 * y * z;
	result += shCoefficients[ 6 ] * ( 0.743125 * z * z - 0.247708 );
	result += shCoefficients[ 7 ] * 2.0 * 0.429043 * x * z;
	result += shCoefficients[ 8 ] * 0.429043 * ( x * x - y * y );
	return result;
}
vec3 getLightProbeIrradiance( const in vec3 lightProbe[ 9 ], const in vec3 normal ) {
	vec3 worldNormal = transformNormalByInverseViewMatrix( normal, viewMatrix );
	vec3 irradiance = shGetIrradianceAt( worldNormal, lightProbe );
	return irradiance;
}
vec3 getAmbientLightIrradiance( const in vec3 ambientLightColor ) {
	vec3 irradiance = ambientLightColor;
	return irradiance;
}
float getDistanceAttenuation( const in float lightDistance, const in float cutoffDistance, const in float decayExponent ) {
	float distanceFalloff = 1.0 / max( pow( lightDistance, decayExponent ), 0.01 );
	if ( cutoffDistance > 0.0 ) {
		distanceFalloff *= pow2( saturate( 1.0 - pow4( lightDistance / cutoffDistance ) ) );
	}
	return distanceFalloff;
}
float getSpotAttenuation( const in float coneCosine, const in float penumbraCosine, const in float angleCosine ) {
	return smoothstep( coneCosine, penumbraCosine, angleCosine );
}
#if NUM_SUN_LIGHTS > 0
	struct SunLight {
		vec3 direction;
		vec3 color;
	};
	uniform SunLight sunLights[ NUM_SUN_LIGHTS ];
	void getSunLightInfo( const in SunLight sunLight, out IncidentLight light ) {
		light.color = sunLight.color;
		light.direction = sunLight.direction;
		light.visible = true;
	}
#endif
#if NUM_DIR_LIGHTS > 0
	struct DirectionalLight {
		vec3 direction;
		vec3 color;
	};
	uniform DirectionalLight directionalLights[ NUM_DIR_LIGHTS ];
	void getDirectionalLightInfo( const in DirectionalLight directionalLight, out IncidentLight light ) {
		light.color = directionalLight.color;
		light.direction = directionalLight.direction;
		light.visible = true;
	}
#endif
#if NUM_POINT_LIGHTS > 0
	struct PointLight {
		vec3 position;
		vec3 color;
		float distance;
		float decay;
	};
	uniform PointLight pointLights[ NUM_POINT_LIGHTS ];
	void getPointLightInfo( const in PointLight pointLight, const in vec3 geometryPosition, out IncidentLight light ) {
		vec3 lVector = pointLight.position - geometryPosition;
		light.direction = normalize( lVector );
		float lightDistance = length( lVector );
		light.color = pointLight.color;
		light.color *= getDistanceAttenuation( lightDistance, pointLight.distance, pointLight.decay );
		light.visible = ( light.color != vec3( 0.0 ) );
	}
#endif
#if NUM_SPOT_LIGHTS > 0
	struct SpotLight {
		vec3 position;
		vec3 direction;
		vec3 color;
		float distance;
		float decay;
		float coneCos;
		float penumbraCos;
	};
	uniform SpotLight spotLights[ NUM_SPOT_LIGHTS ];
	void getSpotLightInfo( const in SpotLight spotLight, const in vec3 geometryPosition, out IncidentLight light ) {
		vec3 lVector = spotLight.position - geometryPosition;
		light.direction = normalize( lVector );
		float angleCos = dot( light.direction, spotLight.direction );
		float spotAttenuation = getSpotAttenuation( spotLight.coneCos, spotLight.penumbraCos, angleCos );
		if ( spotAttenuation > 0.0 ) {
			float lightDistance = length( lVector );
			light.color = spotLight.color * spotAttenuation;
			light.color *= getDistanceAttenuation( lightDistance, spotLight.distance, spotLight.decay );
			light.visible = ( light.color != vec3( 0.0 ) );
		} else {
			light.color = vec3( 0.0 );
			light.visible = false;
		}
	}
#endif
#if NUM_RECT_AREA_LIGHTS > 0
	struct RectAreaLight {
		vec3 color;
		vec3 position;
		vec3 halfWidth;
		vec3 halfHeight;
	};
	uniform sampler2D ltc_1;	uniform sampler2D ltc_2;
	uniform RectAreaLight rectAreaLights[ NUM_RECT_AREA_LIGHTS ];
#endif
#if NUM_HEMI_LIGHTS > 0
	struct HemisphereLight {
		vec3 direction;
		vec3 skyColor;
		vec3 groundColor;
	};
	uniform HemisphereLight hemisphereLights[ NUM_HEMI_LIGHTS ];
	vec3 getHemisphereLightIrradiance( const in HemisphereLight hemiLight, const in vec3 normal ) {
		float dotNL = dot( normal, hemiLight.direction );
		float hemiDiffuseWeight = 0.5 * dotNL + 0.5;
		vec3 irradiance = mix( hemiLight.groundColor, hemiLight.skyColor, hemiDiffuseWeight );
		return irradiance;
	}
#endif
#include <lightprobes_pars_fragment>`,mv=`#ifdef USE_ENVMAP
	vec3 getIBLIrradiance( const in vec3 normal ) {
		#ifdef ENVMAP_TYPE_PMREM
			vec3 worldNormal = transformNormalByInverseViewMatrix( normal, viewMatrix );
			vec4 envMapColor = textureLod( envMap, envMapRotation * worldNormal, ENVMAP_MAX_LOD );
			return PI * envMapColor.rgb * envMapIntensity;
		#else
			return vec3( 0.0 );
		#endif
	}
	vec3 getIBLRadiance( const in vec3 viewDir, const in vec3 normal, const in float roughness ) {
		#ifdef ENVMAP_TYPE_PMREM
			vec3 reflectVec = reflect( - viewDir, normal );
			reflectVec = normalize( mix( reflectVec, normal, pow4( roughness ) ) );
			reflectVec = transformDirectionByInverseViewMatrix( reflectVec, viewMatrix );
			vec4 envMapColor = textureLod( envMap, envMapRotation * reflectVec, roughnessToMip( roughness ) );
			return envMapColor.rgb * envMapIntensity;
		#else
			return vec3( 0.0 );
		#endif
	}
	#ifdef USE_RETROREFLECTION
		vec3 getIBLRetroRadiance( const in vec3 viewDir, const in vec3 normal, const in float roughness ) {
			#ifdef ENVMAP_TYPE_PMREM
				vec3 retroVec = normalize( mix( viewDir, normal, pow4( roughness ) ) );
				retroVec = transformDirectionByInverseViewMatrix( retroVec, viewMatrix );
				vec4 envMapColor = textureLod( envMap, envMapRotation * retroVec, roughnessToMip( roughness ) );
				return envMapColor.rgb * envMapIntensity;
			#else
				return vec3( 0.0 );
			#endif
		}
	#endif
	#ifdef USE_ANISOTROPY
		vec3 getIBLAnisotropyRadiance( const in vec3 viewDir, const in vec3 normal, const in float roughness, const in vec3 bitangent, const in float anisotropy ) {
			#ifdef ENVMAP_TYPE_PMREM
				vec3 bentNormal = cross( bitangent, viewDir );
				bentNormal = normalize( cross( bentNormal, bitangent ) );
				bentNormal = normalize( mix( bentNormal, normal, pow2( pow2( 1.0 - anisotropy * ( 1.0 - roughness ) ) ) ) );
				return getIBLRadiance( viewDir, bentNormal, roughness );
			#else
				return vec3( 0.0 );
			#endif
		}
		#ifdef USE_RETROREFLECTION
			vec3 getIBLAnisotropyRetroRadiance( const in vec3 viewDir, const in vec3 normal, const in float roughness, const in vec3 bitangent, const in float anisotropy ) {
				#ifdef ENVMAP_TYPE_PMREM
					vec3 bentNormal = cross( bitangent, viewDir );
					bentNormal = normalize( cross( bentNormal, bitangent ) );
					bentNormal = normalize( mix( bentNormal, normal, pow2( pow2( 1.0 - anisotropy * ( 1.0 - roughness ) ) ) ) );
					return getIBLRetroRadiance( viewDir, bentNormal, roughness );
				#else
					return vec3( 0.0 );
				#endif
			}
		#endif
	#endif
#endif`,gv=`ToonMaterial material;
material.diffuseColor = diffuseColor.rgb;`,xv=`varying vec3 vViewPosition;
struct ToonMaterial {
	vec3 diffuseColor;
};
void RE_Direct_Toon( const in IncidentLight directLight, const in vec3 geometryPosition, const in vec3 geometryNormal, const in vec3 geometryViewDir, const in vec3 geometryClearcoatNormal, const in ToonMaterial material, inout ReflectedLight reflectedLight ) {
	vec3 irradiance = getGradientIrradiance( geometryNormal, directLight.direction ) * directLight.color;
	reflectedLight.directDiffuse += irradiance * BRDF_Lambert( material.diffuseColor );
}
void RE_IndirectDiffuse_Toon( const in vec3 irradiance, const in vec3 geometryPosition, const in vec3 geometryNormal, const in vec3 geometryViewDir, const in vec3 geometryClearcoatNormal, const in ToonMaterial material, inout ReflectedLight reflectedLight ) {
	reflectedLight.indirectDiffuse += irradiance * BRDF_Lambert( material.diffuseColor );
}
#define RE_Direct				RE_Direct_Toon
#define RE_IndirectDiffuse		RE_IndirectDiffuse_Toon`,_v=`BlinnPhongMaterial material;
material.diffuseColor = diffuseColor.rgb;
material.specularColor = specular;
material.specularShininess = shininess;
material.specularStrength = specularStrength;`,yv=`varying vec3 vViewPosition;
struct BlinnPhongMaterial {
	vec3 diffuseColor;
	vec3 specularColor;
	float specularShininess;
	float specularStrength;
};
void RE_Direct_BlinnPhong( const in IncidentLight directLight, const in vec3 geometryPosition, const in vec3 geometryNormal, const in vec3 geometryViewDir, const in vec3 geometryClearcoatNormal, const in BlinnPhongMaterial material, inout ReflectedLight reflectedLight ) {
	float dotNL = saturate( dot( geometryNormal, directLight.direction ) );
	vec3 irradiance = dotNL * directLight.color;
	reflectedLight.directDiffuse += irradiance * BRDF_Lambert( material.diffuseColor );
	reflectedLight.directSpecular += irradiance * BRDF_BlinnPhong( directLight.direction, geometryViewDir, geometryNormal, material.specularColor, material.specularShininess ) * material.specularStrength;
}
void RE_IndirectDiffuse_BlinnPhong( const in vec3 irradiance, const in vec3 geometryPosition, const in vec3 geometryNormal, const in vec3 geometryViewDir, const in vec3 geometryClearcoatNormal, const in BlinnPhongMaterial material, inout ReflectedLight reflectedLight ) {
	reflectedLight.indirectDiffuse += irradiance * BRDF_Lambert( material.diffuseColor );
}
#define RE_Direct				RE_Direct_BlinnPhong
#define RE_IndirectDiffuse		RE_IndirectDiffuse_BlinnPhong`,vv=`PhysicalMaterial material;
material.diffuseColor = diffuseColor.rgb;
material.diffuseContribution = diffuseColor.rgb * ( 1.0 - metalnessFactor );
material.metalness = metalnessFactor;
vec3 dxy = max( abs( dFdx( nonPerturbedNormal ) ), abs( dFdy( nonPerturbedNormal ) ) );
float geometryRoughness = max( max( dxy.x, dxy.y ), dxy.z );
material.roughness = max( roughnessFactor, 0.045 );
material.roughness += geometryRoughness;
material.roughness = min( material.roughness, 1.0 );
#ifdef USE_DIFFUSE_ROUGHNESS
	float diffuseRoughnessFactor = diffuseRoughness;
	#ifdef USE_DIFFUSE_ROUGHNESSMAP
		diffuseRoughnessFactor *= texture2D( diffuseRoughnessMap, vDiffuseRoughnessMapUv ).r;
	#endif
	material.diffuseRoughness = saturate( diffuseRoughnessFactor );
#endif
#ifdef IOR
	material.ior = ior;
	#ifdef USE_SPECULAR
		float specularIntensityFactor = specularIntensity;
		vec3 specularColorFactor = specularColor;
		#ifdef USE_SPECULAR_COLORMAP
			specularColorFactor *= texture2D( specularColorMap, vSpecularColorMapUv ).rgb;
		#endif
		#ifdef USE_SPECULAR_INTENSITYMAP
			specularIntensityFactor *= texture2D( specularIntensityMap, vSpecularIntensityMapUv ).a;
		#endif
		material.specularF90 = mix( specularIntensityFactor, 1.0, metalnessFactor );
	#else
		float specularIntensityFactor = 1.0;
		vec3 specularColorFactor = vec3( 1.0 );
		material.specularF90 = 1.0;
	#endif
	material.specularColor = min( pow2( ( material.ior - 1.0 ) / ( material.ior + 1.0 ) ) * specularColorFactor, vec3( 1.0 ) ) * specularIntensityFactor;
	material.specularColorBlended = mix( material.specularColor, diffuseColor.rgb, metalnessFactor );
#else
	material.specularColor = vec3( 0.04 );
	material.specularColorBlended = mix( material.specularColor, diffuseColor.rgb, metalnessFactor );
	material.specularF90 = 1.0;
#endif
#ifdef USE_CLEARCOAT
	material.clearcoat = clearcoat;
	material.clearcoatRoughness = clearcoatRoughness;
	material.clearcoatF0 = vec3( 0.04 );
	material.clearcoatF90 = 1.0;
	#ifdef USE_CLEARCOATMAP
		material.clearcoat *= texture2D( clearcoatMap, vClearcoatMapUv ).x;
	#endif
	#ifdef USE_CLEARCOAT_ROUGHNESSMAP
		material.clearcoatRoughness *= texture2D( clearcoatRoughnessMap, vClearcoatRoughnessMapUv ).y;
	#endif
	material.clearcoat = saturate( material.clearcoat );	material.clearcoatRoughness = max( material.clearcoatRoughness, 0.045 );
	material.clearcoatRoughness += geometryRoughness;
	material.clearcoatRoughness = min( material.clearcoatRoughness, 1.0 );
#endif
#ifdef USE_DISPERSION
	material.dispersion = dispersion;
#endif
#ifdef USE_RETROREFLECTION
	material.retroreflectivity = retroreflectivity;
#endif
#ifdef USE_IRIDESCENCE
	material.iridescence = iridescence;
	material.iridescenceIOR = iridescenceIOR;
	#ifdef USE_IRIDESCENCEMAP
		material.iridescence *= texture2D( iridescenceMap, vIridescenceMapUv ).r;
	#endif
	#ifdef USE_IRIDESCENCE_THICKNESSMAP
		material.iridescenceThickness = (iridescenceThicknessMaximum - iridescenceThicknessMinimum) * texture2D( iridescenceThicknessMap, vIridescenceThicknessMapUv ).g + iridescenceThicknessMinimum;
	#else
		material.iridescenceThickness = iridescenceThicknessMaximum;
	#endif
#endif
#ifdef USE_SHEEN
	material.sheenColor = sheenColor;
	#ifdef USE_SHEEN_COLORMAP
		material.sheenColor *= texture2D( sheenColorMap, vSheenColorMapUv ).rgb;
	#endif
	material.sheenRoughness = clamp( sheenRoughness, 0.0001, 1.0 );
	#ifdef USE_SHEEN_ROUGHNESSMAP
		material.sheenRoughness *= texture2D( sheenRoughnessMap, vSheenRoughnessMapUv ).a;
	#endif
#endif
#ifdef USE_ANISOTROPY
	#ifdef USE_ANISOTROPYMAP
		mat2 anisotropyMat = mat2( anisotropyVector.x, anisotropyVector.y, - anisotropyVector.y, anisotropyVector.x );
		vec3 anisotropyPolar = texture2D( anisotropyMap, vAnisotropyMapUv ).rgb;
		vec2 anisotropyV = anisotropyMat * normalize( 2.0 * anisotropyPolar.rg - vec2( 1.0 ) ) * anisotropyPolar.b;
	#else
		vec2 anisotropyV = anisotropyVector;
	#endif
	material.anisotropy = length( anisotropyV );
	if( material.anisotropy == 0.0 ) {
		anisotropyV = vec2( 1.0, 0.0 );
	} else {
		anisotropyV /= material.anisotropy;
		material.anisotropy = saturate( material.anisotropy );
	}
	material.alphaT = mix( pow2( material.roughness ), 1.0, pow2( material.anisotropy ) );
	material.anisotropyT = tbn[ 0 ] * anisotropyV.x + tbn[ 1 ] * anisotropyV.y;
	material.anisotropyB = tbn[ 1 ] * anisotropyV.x - tbn[ 0 ] * anisotropyV.y;
#endif`,Mv=`uniform sampler2D dfgLUT;
struct PhysicalMaterial {
	vec3 diffuseColor;
	vec3 diffuseContribution;
	vec3 specularColor;
	vec3 specularColorBlended;
	float roughness;
	float metalness;
	float specularF90;
	float dispersion;
	vec2 dfg;
	vec3 multiScatteringCompensation;
	#ifdef USE_DIFFUSE_ROUGHNESS
		float diffuseRoughness;
	#endif
	#ifdef USE_RETROREFLECTION
		float retroreflectivity;
	#endif
	#ifdef USE_CLEARCOAT
		float clearcoat;
		float clearcoatRoughness;
		vec3 clearcoatF0;
		float clearcoatF90;
	#endif
	#ifdef USE_IRIDESCENCE
		float iridescence;
		float iridescenceIOR;
		float iridescenceThickness;
		vec3 iridescenceFresnel;
		vec3 iridescenceF0Dielectric;
		vec3 iridescenceF0Metallic;
	#endif
	#ifdef USE_SHEEN
		vec3 sheenColor;
		float sheenRoughness;
	#endif
	#ifdef IOR
		float ior;
	#endif
	#ifdef USE_TRANSMISSION
		float transmission;
		float transmissionAlpha;
		float thickness;
		float attenuationDistance;
		vec3 attenuationColor;
	#endif
	#ifdef USE_ANISOTROPY
		float anisotropy;
		float alphaT;
		vec3 anisotropyT;
		vec3 anisotropyB;
	#endif
};
vec3 clearcoatSpecularDirect = vec3( 0.0 );
vec3 clearcoatSpecularIndirect = vec3( 0.0 );
vec3 sheenSpecularDirect = vec3( 0.0 );
vec3 sheenSpecularIndirect = vec3(0.0 );
vec3 Schlick_to_F0( const in vec3 f, const in float f90, const in float dotVH ) {
    float x = clamp( 1.0 - dotVH, 0.0, 1.0 );
    float x2 = x * x;
    float x5 = clamp( x * x2 * x2, 0.0, 0.9999 );
    return ( f - vec3( f90 ) * x5 ) / ( 1.0 - x5 );
}
#ifdef USE_DIFFUSE_ROUGHNESS
	const float EON_EPSILON = 1e-7;
	float FON_DirectionalAlbedo( const in float mu, const in float roughness, const in float A ) {
		float muComp = 1.0 - mu;
		float gOverPi = muComp * ( 0.0571085289 + muComp * ( 0.491881867 + muComp * ( - 0.332181442 + muComp * 0.0714429953 ) ) );
		return A * ( 1.0 + roughness * gOverPi );
	}
	vec3 BRDF_EON( const in vec3 lightDir, const in vec3 viewDir, const in vec3 normal, const in vec3 diffuseColor, const in float roughness ) {
		vec3 rho = saturate( diffuseColor );
		if ( roughness <= EON_EPSILON ) return BRDF_Lambert( rho );
		float dotNL = saturate( dot( normal, lightDir ) );
		float dotNV = saturate( dot( normal, viewDir ) );
		float s = dot( lightDir, viewDir ) - dotNL * dotNV;
		float sOverT = ( s > 0.0 ) ? s / max( max( dotNL, dotNV ), EON_EPSILON ) : s;
		float A = 1.0 / ( 1.0 + ( 0.5 - 2.0 / ( 3.0 * PI ) ) * roughness );
		vec3 singleScatter = rho * RECIPROCAL_PI * A * ( 1.0 + roughness * sOverT );
		float averageAlbedo = A * ( 1.0 + ( 2.0 / 3.0 - 28.0 / ( 15.0 * PI ) ) * roughness );
		float albedoV = FON_DirectionalAlbedo( dotNV, roughness, A );
		float albedoL = FON_DirectionalAlbedo( dotNL, roughness, A );
		vec3 rhoMultiScatter = rho * rho * averageAlbedo / max( vec3( EON_EPSILON ), vec3( 1.0 ) - rho * ( 1.0 - averageAlbedo ) );
		vec3 multiScatter = rhoMultiScatter * RECIPROCAL_PI
			* max( EON_EPSILON, 1.0 - albedoV )
			* max( EON_EPSILON, 1.0 - albedoL )
			/ max( EON_EPSILON, 1.0 - averageAlbedo );
		return singleScatter + multiScatter;
	}
	vec3 EON_DirectionalAlbedo( const in vec3 diffuseColor, const in float roughness, const in float dotNV ) {
		vec3 rho = saturate( diffuseColor );
		if ( roughness <= EON_EPSILON ) return rho;
		float A = 1.0 / ( 1.0 + ( 0.5 - 2.0 / ( 3.0 * PI ) ) * roughness );
		float directionalAlbedo = FON_DirectionalAlbedo( dotNV, roughness, A );
		float averageAlbedo = A * ( 1.0 + ( 2.0 / 3.0 - 28.0 / ( 15.0 * PI ) ) * roughness );
		vec3 rhoMultiScatter = rho * rho * averageAlbedo / max( vec3( EON_EPSILON ), vec3( 1.0 ) - rho * ( 1.0 - averageAlbedo ) );
		return rho * directionalAlbedo + rhoMultiScatter * ( 1.0 - directionalAlbedo );
	}
#endif
float V_GGX_SmithCorrelated( const in float alpha, const in float dotNL, const in float dotNV ) {
	float a2 = pow2( alpha );
	float gv = dotNL * sqrt( a2 + ( 1.0 - a2 ) * pow2( dotNV ) );
	float gl = dotNV * sqrt( a2 + ( 1.0 - a2 ) * pow2( dotNL ) );
	return 0.5 / max( gv + gl, EPSILON );
}
float D_GGX( const in float alpha, const in float dotNH ) {
	float a2 = pow2( alpha );
	float denom = pow2( dotNH ) * ( a2 - 1.0 ) + 1.0;
	return RECIPROCAL_PI * a2 / pow2( denom );
}
#ifdef USE_ANISOTROPY
	float V_GGX_SmithCorrelated_Anisotropic( const in float alphaT, const in float alphaB, const in float dotTV, const in float dotBV, const in float dotTL, const in float dotBL, const in float dotNV, const in float dotNL ) {
		float gv = dotNL * length( vec3( alphaT * dotTV, alphaB * dotBV, dotNV ) );
		float gl = dotNV * length( vec3( alphaT * dotTL, alphaB * dotBL, dotNL ) );
		return 0.5 / max( gv + gl, EPSILON );
	}
	float D_GGX_Anisotropic( const in float alphaT, const in float alphaB, const in float dotNH, const in float dotTH, const in float dotBH ) {
		float a2 = alphaT * alphaB;
		highp vec3 v = vec3( alphaB * dotTH, alphaT * dotBH, a2 * dotNH );
		highp float v2 = dot( v, v );
		float w2 = a2 / v2;
		return RECIPROCAL_PI * a2 * pow2 ( w2 );
	}
#endif
#ifdef USE_CLEARCOAT
	vec3 BRDF_GGX_Clearcoat( const in vec3 lightDir, const in vec3 viewDir, const in vec3 normal, const in PhysicalMaterial material) {
		vec3 f0 = material.clearcoatF0;
		float f90 = material.clearcoatF90;
		float roughness = max( material.clearcoatRoughness, 0.045 );
		float alpha = pow2( roughness );
		vec3 halfDir = normalize( lightDir + viewDir );
		float dotNL = saturate( dot( normal, lightDir ) );
		float dotNV = saturate( dot( normal, viewDir ) );
		float dotNH = saturate( dot( normal, halfDir ) );
		float dotVH = saturate( dot( viewDir, halfDir ) );
		vec3 F = F_Schlick( f0, f90, dotVH );
		float V = V_GGX_SmithCorrelated( alpha, dotNL, dotNV );
		float D = D_GGX( alpha, dotNH );
		return F * ( V * D );
	}
#endif
vec3 BRDF_GGX( const in vec3 lightDir, const in vec3 viewDir, const in vec3 normal, const in PhysicalMaterial material ) {
	vec3 f0 = material.specularColorBlended;
	float f90 = material.specularF90;
	float roughness = max( material.roughness, 0.045 );
	float alpha = pow2( roughness );
	vec3 halfDir = normalize( lightDir + viewDir );
	float dotNL = saturate( dot( normal, lightDir ) );
	float dotNV = saturate( dot( normal, viewDir ) );
	float dotNH = saturate( dot( normal, halfDir ) );
	float dotVH = saturate( dot( viewDir, halfDir ) );
	vec3 F = F_Schlick( f0, f90, dotVH );
	#ifdef USE_IRIDESCENCE
		F = mix( F, material.iridescenceFresnel, material.iridescence );
	#endif
	#ifdef USE_ANISOTROPY
		float dotTL = dot( material.anisotropyT, lightDir );
		float dotTV = dot( material.anisotropyT, viewDir );
		float dotTH = dot( material.anisotropyT, halfDir );
		float dotBL = dot( material.anisotropyB, lightDir );
		float dotBV = dot( material.anisotropyB, viewDir );
		float dotBH = dot( material.anisotropyB, halfDir );
		float alphaT = max( material.alphaT, alpha );
		float V = V_GGX_SmithCorrelated_Anisotropic( alphaT, alpha, dotTV, dotBV, dotTL, dotBL, dotNV, dotNL );
		float D = D_GGX_Anisotropic( alphaT, alpha, dotNH, dotTH, dotBH );
	#else
		float V = V_GGX_SmithCorrelated( alpha, dotNL, dotNV );
		float D = D_GGX( alpha, dotNH );
	#endif
	return F * ( V * D );
}
vec2 LTC_Uv( const in vec3 N, const in vec3 V, const in float roughness ) {
	const float LUT_SIZE = 64.0;
	const float LUT_SCALE = ( LUT_SIZE - 1.0 ) / LUT_SIZE;
	const float LUT_BIAS = 0.5 / LUT_SIZE;
	float dotNV = saturate( dot( N, V ) );
	vec2 uv = vec2( roughness, sqrt( 1.0 - dotNV ) );
	uv = uv * LUT_SCALE + LUT_BIAS;
	return uv;
}
float LTC_ClippedSphereFormFactor( const in vec3 f ) {
	float l = length( f );
	return max( ( l * l + f.z ) / ( l + 1.0 ), 0.0 );
}
vec3 LTC_EdgeVectorFormFactor( const in vec3 v1, const in vec3 v2 ) {
	float x = dot( v1, v2 );
	float y = abs( x );
	float a = 0.8543985 + ( 0.4965155 + 0.0145206 * y ) * y;
	float b = 3.4175940 + ( 4.1616724 + y ) * y;
	float v = a / b;
	float theta_sintheta = ( x > 0.0 ) ? v : 0.5 * inversesqrt( max( 1.0 - x * x, 1e-7 ) ) - v;
	return cross( v1, v2 ) * theta_sintheta;
}
vec3 LTC_Evaluate( const in vec3 N, const in vec3 V, const in vec3 P, const in mat3 mInv, const in vec3 rectCoords[ 4 ] ) {
	vec3 v1 = rectCoords[ 1 ] - rectCoords[ 0 ];
	vec3 v2 = rectCoords[ 3 ] - rectCoords[ 0 ];
	vec3 lightNormal = cross( v1, v2 );
	if( dot( lightNormal, P - rectCoords[ 0 ] ) < 0.0 ) return vec3( 0.0 );
	vec3 T1, T2;
	T1 = normalize( V - N * dot( V, N ) );
	T2 = - cross( N, T1 );
	mat3 mat = mInv * transpose( mat3( T1, T2, N ) );
	vec3 coords[ 4 ];
	coords[ 0 ] = mat * ( rectCoords[ 0 ] - P );
	coords[ 1 ] = mat * ( rectCoords[ 1 ] - P );
	coords[ 2 ] = mat * ( rectCoords[ 2 ] - P );
	coords[ 3 ] = mat * ( rectCoords[ 3 ] - P );
	coords[ 0 ] = normalize( coords[ 0 ] );
	coords[ 1 ] = normalize( coords[ 1 ] );
	coords[ 2 ] = normalize( coords[ 2 ] );
	coords[ 3 ] = normalize( coords[ 3 ] );
	vec3 vectorFormFactor = vec3( 0.0 );
	vectorFormFactor += LTC_EdgeVectorFormFactor( coords[ 0 ], coords[ 1 ] );
	vectorFormFactor += LTC_EdgeVectorFormFactor( coords[ 1 ], coords[ 2 ] );
	vectorFormFactor += LTC_EdgeVectorFormFactor( coords[ 2 ], coords[ 3 ] );
	vectorFormFactor += LTC_EdgeVectorFormFactor( coords[ 3 ], coords[ 0 ] );
	float result = LTC_ClippedSphereFormFactor( vectorFormFactor );
	return vec3( result );
}
#if defined( USE_SHEEN )
float D_Charlie( float roughness, float dotNH ) {
	float alpha = pow2( roughness );
	float invAlpha = 1.0 / alpha;
	float cos2h = dotNH * dotNH;
	float sin2h = max( 1.0 - cos2h, 0.0078125 );
	return ( 2.0 + invAlpha ) * pow( sin2h, invAlpha * 0.5 ) / ( 2.0 * PI );
}
float V_Neubelt( float dotNV, float dotNL ) {
	return saturate( 1.0 / ( 4.0 * ( dotNL + dotNV - dotNL * dotNV ) ) );
}
vec3 BRDF_Sheen( const in vec3 lightDir, const in vec3 viewDir, const in vec3 normal, vec3 sheenColor, const in float sheenRoughness ) {
	vec3 halfDir = normalize( lightDir + viewDir );
	float dotNL = saturate( dot( normal, lightDir ) );
	float dotNV = saturate( dot( normal, viewDir ) );
	float dotNH = saturate( dot( normal, halfDir ) );
	float D = D_Charlie( sheenRoughness, dotNH );
	float V = V_Neubelt( dotNV, dotNL );
	return sheenColor * ( D * V );
}
#endif
float IBLSheenBRDF( const in vec3 normal, const in vec3 viewDir, const in float roughness ) {
	float dotNV = saturate( dot( normal, viewDir ) );
	float r2 = roughness * roughness;
	float rInv = 1.0 / ( roughness + 0.1 );
	float a = -1.9362 + 1.0678 * roughness + 0.4573 * r2 - 0.8469 * rInv;
	float b = -0.6014 + 0.5538 * roughness - 0.4670 * r2 - 0.1255 * rInv;
	float DG = exp( a * dotNV + b );
	return saturate( DG );
}
vec3 EnvironmentBRDF( const in vec3 normal, const in vec3 viewDir, const in vec3 specularColor, const in float specularF90, const in float roughness ) {
	float dotNV = saturate( dot( normal, viewDir ) );
	vec2 fab = texture2D( dfgLUT, vec2( roughness, dotNV ) ).rg;
	return specularColor * fab.x + specularF90 * fab.y;
}
#ifdef USE_IRIDESCENCE
void computeMultiscatteringIridescence( const in vec2 fab, const in vec3 specularColor, const in float specularF90, const in float iridescence, const in vec3 iridescenceF0, inout vec3 singleScatter, inout vec3 multiScatter ) {
#else
void computeMultiscattering( const in vec2 fab, const in vec3 specularColor, const in float specularF90, inout vec3 singleScatter, inout vec3 multiScatter ) {
#endif
	#ifdef USE_IRIDESCENCE
		vec3 Fr = mix( specularColor, iridescenceF0, iridescence );
	#else
		vec3 Fr = specularColor;
	#endif
	vec3 FssEss = Fr * fab.x + specularF90 * fab.y;
	float Ess = fab.x + fab.y;
	float Ems = 1.0 - Ess;
	vec3 Favg = Fr + ( 1.0 - Fr ) * 0.047619;	vec3 Fms = FssEss * Favg / ( 1.0 - Ems * Favg );
	singleScatter += FssEss;
	multiScatter += Fms * Ems;
}
#if NUM_RECT_AREA_LIGHTS > 0
	void RE_Direct_RectArea_Physical( const in RectAreaLight rectAreaLight, const in vec3 geometryPosition, const in vec3 geometryNormal, const in vec3 geometryViewDir, const in vec3 geometryClearcoatNormal, const in PhysicalMaterial material, inout ReflectedLight reflectedLight ) {
		vec3 normal = geometryNormal;
		vec3 viewDir = geometryViewDir;
		vec3 position = geometryPosition;
		vec3 lightPos = rectAreaLight.position;
		vec3 halfWidth = rectAreaLight.halfWidth;
		vec3 halfHeight = rectAreaLight.halfHeight;
		vec3 lightColor = rectAreaLight.color;
		float roughness = material.roughness;
		vec3 rectCoords[ 4 ];
		rectCoords[ 0 ] = lightPos + halfWidth - halfHeight;		rectCoords[ 1 ] = lightPos - halfWidth - halfHeight;
		rectCoords[ 2 ] = lightPos - halfWidth + halfHeight;
		rectCoords[ 3 ] = lightPos + halfWidth + halfHeight;
		vec2 uv = LTC_Uv( normal, viewDir, roughness );
		vec4 t1 = texture2D( ltc_1, uv );
		vec4 t2 = texture2D( ltc_2, uv );
		mat3 mInv = mat3(
			vec3( t1.x, 0, t1.y ),
			vec3(    0, 1,    0 ),
			vec3( t1.z, 0, t1.w )
		);
		vec3 fresnel = ( material.specularColorBlended * t2.x + ( material.specularF90 - material.specularColorBlended ) * t2.y );
		reflectedLight.directSpecular += lightColor * fresnel * LTC_Evaluate( normal, viewDir, position, mInv, rectCoords );
		reflectedLight.directDiffuse += lightColor * material.diffuseContribution * LTC_Evaluate( normal, viewDir, position, mat3( 1.0 ), rectCoords );
		#ifdef USE_CLEARCOAT
			vec3 Ncc = geometryClearcoatNormal;
			vec2 uvClearcoat = LTC_Uv( Ncc, viewDir, material.clearcoatRoughness );
			vec4 t1Clearcoat = texture2D( ltc_1, uvClearcoat );
			vec4 t2Clearcoat = texture2D( ltc_2, uvClearcoat );
			mat3 mInvClearcoat = mat3(
				vec3( t1Clearcoat.x, 0, t1Clearcoat.y ),
				vec3(             0, 1,             0 ),
				vec3( t1Clearcoat.z, 0, t1Clearcoat.w )
			);
			vec3 fresnelClearcoat = material.clearcoatF0 * t2Clearcoat.x + ( material.clearcoatF90 - material.clearcoatF0 ) * t2Clearcoat.y;
			clearcoatSpecularDirect += lightColor * fresnelClearcoat * LTC_Evaluate( Ncc, viewDir, position, mInvClearcoat, rectCoords );
		#endif
	}
#endif
void RE_Direct_Physical( const in IncidentLight directLight, const in vec3 geometryPosition, const in vec3 geometryNormal, const in vec3 geometryViewDir, const in vec3 geometryClearcoatNormal, const in PhysicalMaterial material, inout ReflectedLight reflectedLight ) {
	float dotNL = saturate( dot( geometryNormal, directLight.direction ) );
	vec3 irradiance = dotNL * directLight.color;
	#ifdef USE_CLEARCOAT
		float dotNLcc = saturate( dot( geometryClearcoatNormal, directLight.direction ) );
		vec3 ccIrradiance = dotNLcc * directLight.color;
		clearcoatSpecularDirect += ccIrradiance * BRDF_GGX_Clearcoat( directLight.direction, geometryViewDir, geometryClearcoatNormal, material );
	#endif
	#ifdef USE_SHEEN
 
 		sheenSpecularDirect += irradiance * BRDF_Sheen( directLight.direction, geometryViewDir, geometryNormal, material.sheenColor, material.sheenRoughness );
 
 		float sheenAlbedoV = IBLSheenBRDF( geometryNormal, geometryViewDir, material.sheenRoughness );
 		float sheenAlbedoL = IBLSheenBRDF( geometryNormal, directLight.direction, material.sheenRoughness );
 
 		float sheenEnergyComp = 1.0 - max3( material.sheenColor ) * max( sheenAlbedoV, sheenAlbedoL );
 
 		irradiance *= sheenEnergyComp;
 
 	#endif
	vec3 specularBRDF = BRDF_GGX( directLight.direction, geometryViewDir, geometryNormal, material );
	#ifdef USE_RETROREFLECTION
		vec3 retroViewDir = reflect( - geometryViewDir, geometryNormal );
		vec3 retroSpecularBRDF = BRDF_GGX( directLight.direction, retroViewDir, geometryNormal, material );
		specularBRDF = mix( specularBRDF, retroSpecularBRDF, saturate( material.retroreflectivity ) );
	#endif
	reflectedLight.directSpecular += irradiance * specularBRDF * material.multiScatteringCompensation;
	vec3 halfDir = normalize( directLight.direction + geometryViewDir );
	float dotVH = saturate( dot( geometryViewDir, halfDir ) );
	vec3 F = F_Schlick( material.specularColor, material.specularF90, dotVH );
	#ifdef USE_RETROREFLECTION
		vec3 retroHalfDir = normalize( directLight.direction + retroViewDir );
		float dotRetroVH = saturate( dot( retroViewDir, retroHalfDir ) );
		vec3 retroF = F_Schlick( material.specularColor, material.specularF90, dotRetroVH );
		F = mix( F, retroF, saturate( material.retroreflectivity ) );
	#endif
	#ifdef USE_DIFFUSE_ROUGHNESS
		vec3 diffuseBRDF = BRDF_EON( directLight.direction, geometryViewDir, geometryNormal, material.diffuseColor, material.diffuseRoughness ) * ( 1.0 - material.metalness );
	#else
		vec3 diffuseBRDF = BRDF_Lambert( material.diffuseContribution );
	#endif
	reflectedLight.directDiffuse += irradiance * diffuseBRDF * ( 1.0 - F );
}
void RE_IndirectDiffuse_Physical( const in vec3 irradiance, const in vec3 geometryPosition, const in vec3 geometryNormal, const in vec3 geometryViewDir, const in vec3 geometryClearcoatNormal, const in PhysicalMaterial material, inout ReflectedLight reflectedLight ) {
	vec3 singleScattering = vec3( 0.0 );
	vec3 multiScattering = vec3( 0.0 );
	#ifdef USE_IRIDESCENCE
		computeMultiscatteringIridescence( material.dfg, material.specularColor, material.specularF90, material.iridescence, material.iridescenceF0Dielectric, singleScattering, multiScattering );
	#else
		computeMultiscattering( material.dfg, material.specularColor, material.specularF90, singleScattering, multiScattering );
	#endif
	#ifdef USE_DIFFUSE_ROUGHNESS
		float dotNV = saturate( dot( geometryNormal, geometryViewDir ) );
		vec3 diffuseAlbedo = EON_DirectionalAlbedo( material.diffuseColor, material.diffuseRoughness, dotNV ) * ( 1.0 - material.metalness );
		vec3 diffuse = irradiance * RECIPROCAL_PI * diffuseAlbedo * ( 1.0 - singleScattering - multiScattering );
	#else
		vec3 diffuse = irradiance * BRDF_Lambert( material.diffuseContribution ) * ( 1.0 - singleScattering - multiScattering );
	#endif
	#ifdef USE_SHEEN
		float sheenAlbedo = IBLSheenBRDF( geometryNormal, geometryViewDir, material.sheenRoughness );
		sheenSpecularIndirect += irradiance * material.sheenColor * sheenAlbedo * RECIPROCAL_PI;
		float sheenEnergyComp = 1.0 - max3( material.sheenColor ) * sheenAlbedo;
		diffuse *= sheenEnergyComp;
	#endif
	reflectedLight.indirectDiffuse += diffuse;
}
void RE_IndirectSpecular_Physical( const in vec3 radiance, const in vec3 irradiance, const in vec3 clearcoatRadiance, const in vec3 geometryPosition, const in vec3 geometryNormal, const in vec3 geometryViewDir, const in vec3 geometryClearcoatNormal, const in PhysicalMaterial material, inout ReflectedLight reflectedLight) {
	#ifdef USE_CLEARCOAT
		clearcoatSpecularIndirect += clearcoatRadiance * EnvironmentBRDF( geometryClearcoatNormal, geometryViewDir, material.clearcoatF0, material.clearcoatF90, material.clearcoatRoughness );
	#endif
	#ifdef USE_SHEEN
		sheenSpecularIndirect += irradiance * material.sheenColor * IBLSheenBRDF( geometryNormal, geometryViewDir, material.sheenRoughness ) * RECIPROCAL_PI;
 	#endif
	vec3 singleScatteringDielectric = vec3( 0.0 );
	vec3 multiScatteringDielectric = vec3( 0.0 );
	vec3 singleScatteringMetallic = vec3( 0.0 );
	vec3 multiScatteringMetallic = vec3( 0.0 );
	#ifdef USE_IRIDESCENCE
		computeMultiscatteringIridescence( material.dfg, material.specularColor, material.specularF90, material.iridescence, material.iridescenceF0Dielectric, singleScatteringDielectric, multiScatteringDielectric );
		computeMultiscatteringIridescence( material.dfg, material.diffuseColor, material.specularF90, material.iridescence, material.iridescenceF0Metallic, singleScatteringMetallic, multiScatteringMetallic );
	#else
		computeMultiscattering( material.dfg, material.specularColor, material.specularF90, singleScatteringDielectric, multiScatteringDielectric );
		computeMultiscattering( material.dfg, material.diffuseColor, material.specularF90, singleScatteringMetallic, multiScatteringMetallic );
	#endif
	vec3 singleScattering = mix( singleScatteringDielectric, singleScatteringMetallic, material.metalness );
	vec3 multiScattering = mix( multiScatteringDielectric, multiScatteringMetallic, material.metalness );
	vec3 totalScatteringDielectric = singleScatteringDielectric + multiScatteringDielectric;
	#ifdef USE_DIFFUSE_ROUGHNESS
		float dotNV = saturate( dot( geometryNormal, geometryViewDir ) );
		vec3 diffuse = EON_DirectionalAlbedo( material.diffuseColor, material.diffuseRoughness, dotNV ) * ( 1.0 - material.metalness ) * ( 1.0 - totalScatteringDielectric );
	#else
		vec3 diffuse = material.diffuseContribution * ( 1.0 - totalScatteringDielectric );
	#endif
	vec3 cosineWeightedIrradiance = irradiance * RECIPROCAL_PI;
	vec3 indirectSpecular = radiance * singleScattering;
	indirectSpecular += multiScattering * cosineWeightedIrradiance;
	vec3 indirectDiffuse = diffuse * cosineWeightedIrradiance;
	#ifdef USE_SHEEN
		float sheenAlbedo = IBLSheenBRDF( geometryNormal, geometryViewDir, material.sheenRoughness );
		float sheenEnergyComp = 1.0 - max3( material.sheenColor ) * sheenAlbedo;
		indirectSpecular *= sheenEnergyComp;
		indirectDiffuse *= sheenEnergyComp;
	#endif
	reflectedLight.indirectSpecular += indirectSpecular;
	reflectedLight.indirectDiffuse += indirectDiffuse;
}
#define RE_Direct				RE_Direct_Physical
#define RE_Direct_RectArea		RE_Direct_RectArea_Physical
#define RE_IndirectDiffuse		RE_IndirectDiffuse_Physical
#define RE_IndirectSpecular		RE_IndirectSpecular_Physical
float computeSpecularOcclusion( const in float dotNV, const in float ambientOcclusion, const in float roughness ) {
	return saturate( pow( dotNV + ambientOcclusion, exp2( - 16.0 * roughness - 1.0 ) ) - 1.0 + ambientOcclusion );
}`,Sv=`
vec3 geometryPosition = - vViewPosition;
vec3 geometryNormal = normal;
vec3 geometryViewDir = ( isOrthographic ) ? vec3( 0, 0, 1 ) : normalize( vViewPosition );
vec3 geometryClearcoatNormal = vec3( 0.0 );
#ifdef USE_CLEARCOAT
	geometryClearcoatNormal = clearcoatNormal;
#endif
#ifdef USE_IRIDESCENCE
	float dotNVi = saturate( dot( normal, geometryViewDir ) );
	if ( material.iridescenceThickness == 0.0 ) {
		material.iridescence = 0.0;
	} else {
		material.iridescence = saturate( material.iridescence );
	}
	if ( material.iridescence > 0.0 ) {
		vec3 iridescenceFresnelDielectric = evalIridescence( 1.0, material.iridescenceIOR, dotNVi, material.iridescenceThickness, material.specularColor );
		vec3 iridescenceFresnelMetallic = evalIridescence( 1.0, material.iridescenceIOR, dotNVi, material.iridescenceThickness, material.diffuseColor );
		material.iridescenceFresnel = mix( iridescenceFresnelDielectric, iridescenceFresnelMetallic, material.metalness );
		material.iridescenceF0Dielectric = Schlick_to_F0( iridescenceFresnelDielectric, 1.0, dotNVi );
		material.iridescenceF0Metallic = Schlick_to_F0( iridescenceFresnelMetallic, 1.0, dotNVi );
	}
#endif
#ifdef STANDARD
	float dotNVms = saturate( dot( geometryNormal, geometryViewDir ) );
	material.dfg = texture2D( dfgLUT, vec2( material.roughness, dotNVms ) ).rg;
	#if ( NUM_SUN_LIGHTS > 0 || NUM_DIR_LIGHTS > 0 || NUM_POINT_LIGHTS > 0 || NUM_SPOT_LIGHTS > 0 )
		float EssMs = material.dfg.x + material.dfg.y;
		material.multiScatteringCompensation = 1.0 + material.specularColorBlended * ( 1.0 / EssMs - 1.0 );
	#endif
#endif
IncidentLight directLight;
#if ( NUM_POINT_LIGHTS > 0 ) && defined( RE_Direct )
	PointLight pointLight;
	#if defined( USE_SHADOWMAP ) && NUM_POINT_LIGHT_SHADOWS > 0
	PointLightShadow pointLightShadow;
	#endif
	#pragma unroll_loop_start
	for ( int i = 0; i < NUM_POINT_LIGHTS; i ++ ) {
		pointLight = pointLights[ i ];
		getPointLightInfo( pointLight, geometryPosition, directLight );
		#if defined( USE_SHADOWMAP ) && ( UNROLLED_LOOP_INDEX < NUM_POINT_LIGHT_SHADOWS ) && ( defined( SHADOWMAP_TYPE_PCF ) || defined( SHADOWMAP_TYPE_BASIC ) )
		pointLightShadow = pointLightShadows[ i ];
		directLight.color *= ( directLight.visible && receiveShadow ) ? getPointShadow( pointShadowMap[ i ], pointLightShadow.shadowMapSize, pointLightShadow.shadowIntensity, pointLightShadow.shadowBias, pointLightShadow.shadowRadius, vPointShadowCoord[ i ], pointLightShadow.shadowCameraNear, pointLightShadow.shadowCameraFar ) : 1.0;
		#endif
		RE_Direct( directLight, geometryPosition, geometryNormal, geometryViewDir, geometryClearcoatNormal, material, reflectedLight );
	}
	#pragma unroll_loop_end
#endif
#if ( NUM_SPOT_LIGHTS > 0 ) && defined( RE_Direct )
	SpotLight spotLight;
	vec4 spotColor;
	vec3 spotLightCoord;
	bool inSpotLightMap;
	#if defined( USE_SHADOWMAP ) && NUM_SPOT_LIGHT_SHADOWS > 0
	SpotLightShadow spotLightShadow;
	#endif
	#pragma unroll_loop_start
	for ( int i = 0; i < NUM_SPOT_LIGHTS; i ++ ) {
		spotLight = spotLights[ i ];
		getSpotLightInfo( spotLight, geometryPosition, directLight );
		#if ( UNROLLED_LOOP_INDEX < NUM_SPOT_LIGHT_SHADOWS_WITH_MAPS )
		#define SPOT_LIGHT_MAP_INDEX UNROLLED_LOOP_INDEX
		#elif ( UNROLLED_LOOP_INDEX < NUM_SPOT_LIGHT_SHADOWS )
		#define SPOT_LIGHT_MAP_INDEX NUM_SPOT_LIGHT_MAPS
		#else
		#define SPOT_LIGHT_MAP_INDEX ( UNROLLED_LOOP_INDEX - NUM_SPOT_LIGHT_SHADOWS + NUM_SPOT_LIGHT_SHADOWS_WITH_MAPS )
		#endif
		#if ( SPOT_LIGHT_MAP_INDEX < NUM_SPOT_LIGHT_MAPS )
			spotLightCoord = vSpotLightCoord[ i ].xyz / vSpotLightCoord[ i ].w;
			inSpotLightMap = all( lessThan( abs( spotLightCoord * 2. - 1. ), vec3( 1.0 ) ) );
			spotColor = texture2D( spotLightMap[ SPOT_LIGHT_MAP_INDEX ], spotLightCoord.xy );
			directLight.color = inSpotLightMap ? directLight.color * spotColor.rgb : directLight.color;
		#endif
		#undef SPOT_LIGHT_MAP_INDEX
		#if defined( USE_SHADOWMAP ) && ( UNROLLED_LOOP_INDEX < NUM_SPOT_LIGHT_SHADOWS )
		spotLightShadow = spotLightShadows[ i ];
		directLight.color *= ( directLight.visible && receiveShadow ) ? getShadow( spotShadowMap[ i ], spotLightShadow.shadowMapSize, spotLightShadow.shadowIntensity, spotLightShadow.shadowBias, spotLightShadow.shadowRadius, vSpotLightCoord[ i ] ) : 1.0;
		#endif
		RE_Direct( directLight, geometryPosition, geometryNormal, geometryViewDir, geometryClearcoatNormal, material, reflectedLight );
	}
	#pragma unroll_loop_end
#endif
#if ( NUM_SUN_LIGHTS > 0 ) && defined( RE_Direct )
	SunLight sunLight;
	#if defined( USE_SHADOWMAP ) && NUM_SUN_LIGHT_SHADOWS > 0
	SunLightShadow sunLightShadow;
	#endif
	#pragma unroll_loop_start
	for ( int i = 0; i < NUM_SUN_LIGHTS; i ++ ) {
		sunLight = sunLights[ i ];
		getSunLightInfo( sunLight, directLight );
		#if defined( USE_SHADOWMAP ) && ( UNROLLED_LOOP_INDEX < NUM_SUN_LIGHT_SHADOWS )
		sunLightShadow = sunLightShadows[ i ];
		directLight.color *= ( directLight.visible && receiveShadow ) ? getSunShadow( sunShadowMap[ i ], sunLightShadow, UNROLLED_LOOP_INDEX ) : 1.0;
		#endif
		RE_Direct( directLight, geometryPosition, geometryNormal, geometryViewDir, geometryClearcoatNormal, material, reflectedLight );
	}
	#pragma unroll_loop_end
#endif
#if ( NUM_DIR_LIGHTS > 0 ) && defined( RE_Direct )
	DirectionalLight directionalLight;
	#if defined( USE_SHADOWMAP ) && NUM_DIR_LIGHT_SHADOWS > 0
	DirectionalLightShadow directionalLightShadow;
	#endif
	#pragma unroll_loop_start
	for ( int i = 0; i < NUM_DIR_LIGHTS; i ++ ) {
		directionalLight = directionalLights[ i ];
		getDirectionalLightInfo( directionalLight, directLight );
		#if defined( USE_SHADOWMAP ) && ( UNROLLED_LOOP_INDEX < NUM_DIR_LIGHT_SHADOWS )
		directionalLightShadow = directionalLightShadows[ i ];
		directLight.color *= ( directLight.visible && receiveShadow ) ? getShadow( directionalShadowMap[ i ], directionalLightShadow.shadowMapSize, directionalLightShadow.shadowIntensity, directionalLightShadow.shadowBias, directionalLightShadow.shadowRadius, vDirectionalShadowCoord[ i ] ) : 1.0;
		#endif
		RE_Direct( directLight, geometryPosition, geometryNormal, geometryViewDir, geometryClearcoatNormal, material, reflectedLight );
	}
	#pragma unroll_loop_end
#endif
#if ( NUM_RECT_AREA_LIGHTS > 0 ) && defined( RE_Direct_RectArea )
	RectAreaLight rectAreaLight;
	#pragma unroll_loop_start
	for ( int i = 0; i < NUM_RECT_AREA_LIGHTS; i ++ ) {
		rectAreaLight = rectAreaLights[ i ];
		RE_Direct_RectArea( rectAreaLight, geometryPosition, geometryNormal, geometryViewDir, geometryClearcoatNormal, material, reflectedLight );
	}
	#pragma unroll_loop_end
#endif
#if defined( RE_IndirectDiffuse )
	vec3 iblIrradiance = vec3( 0.0 );
	vec3 irradiance = getAmbientLightIrradiance( ambientLightColor );
	#if defined( USE_LIGHT_PROBES )
		irradiance += getLightProbeIrradiance( lightProbe, geometryNormal );
	#endif
	#if ( NUM_HEMI_LIGHTS > 0 )
		#pragma unroll_loop_start
		for ( int i = 0; i < NUM_HEMI_LIGHTS; i ++ ) {
			irradiance += getHemisphereLightIrradiance( hemisphereLights[ i ], geometryNormal );
		}
		#pragma unroll_loop_end
	#endif
	#if NUM_LIGHT_PROBE_GRIDS > 0
		vec3 probeWorldPos = ( ( vec4( geometryPosition, 1.0 ) - viewMatrix[ 3 ] ) * viewMatrix ).xyz;
		vec3 probeWorldNormal = transformNormalByInverseViewMatrix( geometryNormal, viewMatrix );
		int probeGrid = - 1;
		#pragma unroll_loop_start
		for ( int i = 0; i < NUM_LIGHT_PROBE_GRIDS; i ++ ) {
			if ( isInsideLightProbeGrid( probeWorldPos, probeWorldNormal, probesMin[ i ], probesMax[ i ], probesResolution[ i ] ) ) probeGrid = UNROLLED_LOOP_INDEX;
		}
		#pragma unroll_loop_end
		#pragma unroll_loop_start
		for ( int i = 0; i < NUM_LIGHT_PROBE_GRIDS; i ++ ) {
			if ( probeGrid == UNROLLED_LOOP_INDEX ) irradiance += getLightProbeGridIrradiance( probesSH[ i ], probesMin[ i ], probesMax[ i ], probesResolution[ i ], probeWorldPos, probeWorldNormal );
		}
		#pragma unroll_loop_end
	#endif
#endif
#if defined( RE_IndirectSpecular )
	vec3 radiance = vec3( 0.0 );
	vec3 clearcoatRadiance = vec3( 0.0 );
#endif`,bv=`#if defined( RE_IndirectDiffuse )
	#ifdef USE_LIGHTMAP
		vec4 lightMapTexel = texture2D( lightMap, vLightMapUv );
		vec3 lightMapIrradiance = lightMapTexel.rgb * lightMapIntensity;
		irradiance += lightMapIrradiance;
	#endif
	#if defined( USE_ENVMAP ) && defined( ENVMAP_TYPE_PMREM )
		#if defined( STANDARD ) || defined( LAMBERT ) || defined( PHONG )
			iblIrradiance += getIBLIrradiance( geometryNormal );
		#endif
	#endif
#endif
#if defined( USE_ENVMAP ) && defined( RE_IndirectSpecular )
	#ifdef USE_ANISOTROPY
		vec3 iblRadiance = getIBLAnisotropyRadiance( geometryViewDir, geometryNormal, material.roughness, material.anisotropyB, material.anisotropy );
	#else
		vec3 iblRadiance = getIBLRadiance( geometryViewDir, geometryNormal, material.roughness );
	#endif
	#ifdef USE_RETROREFLECTION
		#ifdef USE_ANISOTROPY
			vec3 retroIBLRadiance = getIBLAnisotropyRetroRadiance( geometryViewDir, geometryNormal, material.roughness, material.anisotropyB, material.anisotropy );
		#else
			vec3 retroIBLRadiance = getIBLRetroRadiance( geometryViewDir, geometryNormal, material.roughness );
		#endif
		iblRadiance = mix( iblRadiance, retroIBLRadiance, saturate( material.retroreflectivity ) );
	#endif
	radiance += iblRadiance;
	#ifdef USE_CLEARCOAT
		clearcoatRadiance += getIBLRadiance( geometryViewDir, geometryClearcoatNormal, material.clearcoatRoughness );
	#endif
#endif`,wv=`#if defined( RE_IndirectDiffuse )
	#if defined( LAMBERT ) || defined( PHONG )
		irradiance += iblIrradiance;
	#endif
	RE_IndirectDiffuse( irradiance, geometryPosition, geometryNormal, geometryViewDir, geometryClearcoatNormal, material, reflectedLight );
#endif
#if defined( RE_IndirectSpecular )
	RE_IndirectSpecular( radiance, iblIrradiance, clearcoatRadiance, geometryPosition, geometryNormal, geometryViewDir, geometryClearcoatNormal, material, reflectedLight );
#endif`,Av=`#if NUM_LIGHT_PROBE_GRIDS > 0
uniform highp sampler3D probesSH[ NUM_LIGHT_PROBE_GRIDS ];
uniform vec3 probesMin[ NUM_LIGHT_PROBE_GRIDS ];
uniform vec3 probesMax[ NUM_LIGHT_PROBE_GRIDS ];
uniform vec3 probesResolution[ NUM_LIGHT_PROBE_GRIDS ];
bool isInsideLightProbeGrid( vec3 worldPos, vec3 worldNormal, vec3 probesMin, vec3 probesMax, vec3 probesResolution ) {
	vec3 spacing = ( probesMax - probesMin ) / probesResolution;
	vec3 samplePos = worldPos + worldNormal * spacing * 0.5;
	vec3 margin = spacing * 0.01;
	return all( greaterThanEqual( samplePos, probesMin - margin ) ) && all( lessThanEqual( samplePos, probesMax + margin ) );
}
vec3 getLightProbeGridIrradiance( highp sampler3D probesSH, vec3 probesMin, vec3 probesMax, vec3 probesResolution, vec3 worldPos, vec3 worldNormal ) {
	vec3 res = probesResolution;
	vec3 gridRange = probesMax - probesMin;
	vec3 probeSpacing = gridRange / res;
	vec3 samplePos = worldPos + worldNormal * probeSpacing * 0.5;
	vec3 uvw = clamp( ( samplePos - probesMin ) / gridRange, 0.5 / res, 1.0 - 0.5 / res );
	float nz          = res.z;
	float paddedSlices = nz + 2.0;
	float atlasDepth  = 7.0 * paddedSlices;
	float uvZBase     = uvw.z * nz + 1.0;
	vec4 s0 = texture( probesSH, vec3( uvw.xy, ( uvZBase                       ) / atlasDepth ) );
	vec4 s1 = texture( probesSH, vec3( uvw.xy, ( uvZBase +       paddedSlices   ) / atlasDepth ) );
	vec4 s2 = texture( probesSH, vec3( uvw.xy, ( uvZBase + 2.0 * paddedSlices   ) / atlasDepth ) );
	vec4 s3 = texture( probesSH, vec3( uvw.xy, ( uvZBase + 3.0 * paddedSlices   ) / atlasDepth ) );
	vec4 s4 = texture( probesSH, vec3( uvw.xy, ( uvZBase + 4.0 * paddedSlices   ) / atlasDepth ) );
	vec4 s5 = texture( probesSH, vec3( uvw.xy, ( uvZBase + 5.0 * paddedSlices   ) / atlasDepth ) );
	vec4 s6 = texture( probesSH, vec3( uvw.xy, ( uvZBase + 6.0 * paddedSlices   ) / atlasDepth ) );
	vec3 c0 = s0.xyz;
	vec3 c1 = vec3( s0.w, s1.xy );
	vec3 c2 = vec3( s1.zw, s2.x );
	vec3 c3 = s2.yzw;
	vec3 c4 = s3.xyz;
	vec3 c5 = vec3( s3.w, s4.xy );
	vec3 c6 = vec3( s4.zw, s5.x );
	vec3 c7 = s5.yzw;
	vec3 c8 = s6.xyz;
	float x = worldNormal.x, y = worldNormal.y, z = worldNormal.z;
	vec3 result = c0 * 0.886227;
	result += c1 * 2.0 * 0.511664 * y;
	result += c2 * 2.0 * 0.511664 * z;
	result += c3 * 2.0 * 0.511664 * x;
	result += c4 * 2.0 * 0.429043 * x * y;
	result += c5 * 2.0 * 0.429043 * y * z;
	result += c6 * ( 0.743125 * z * z - 0.247708 );
	result += c7 * 2.0 * 0.429043 * x * z;
	result += c8 * 0.429043 * ( x * x - y * y );
	return max( result, vec3( 0.0 ) );
}
#endif`,Tv=`#if defined( USE_LOGARITHMIC_DEPTH_BUFFER )
	gl_FragDepth = vIsPerspective == 0.0 ? gl_FragCoord.z : log2( vFragDepth ) * logDepthBufFC * 0.5;
#endif`,Ev=`#if defined( USE_LOGARITHMIC_DEPTH_BUFFER )
	uniform float logDepthBufFC;
	varying float vFragDepth;
	varying float vIsPerspective;
#endif`,Rv=`#ifdef USE_LOGARITHMIC_DEPTH_BUFFER
	varying float vFragDepth;
	varying float vIsPerspective;
#endif`,Cv=`#ifdef USE_LOGARITHMIC_DEPTH_BUFFER
	vFragDepth = 1.0 + gl_Position.w;
	vIsPerspective = float( isPerspectiveMatrix( projectionMatrix ) );
#endif`,Iv=`#ifdef USE_MAP
	vec4 sampledDiffuseColor = texture2D( map, vMapUv );
	#ifdef DECODE_VIDEO_TEXTURE
		sampledDiffuseColor = sRGBTransferEOTF( sampledDiffuseColor );
	#endif
	diffuseColor *= sampledDiffuseColor;
#endif`,Pv=`#ifdef USE_MAP
	uniform sampler2D map;
#endif`,Lv=`#if defined( USE_MAP ) || defined( USE_ALPHAMAP )
	#if defined( USE_POINTS_UV )
		vec2 uv = vUv;
	#else
		vec2 uv = ( uvTransform * vec3( gl_PointCoord.x, 1.0 - gl_PointCoord.y, 1 ) ).xy;
	#endif
#endif
#ifdef USE_MAP
	diffuseColor *= texture2D( map, uv );
#endif
#ifdef USE_ALPHAMAP
	diffuseColor.a *= texture2D( alphaMap, uv ).g;
#endif`,Nv=`#if defined( USE_POINTS_UV )
	varying vec2 vUv;
#else
	#if defined( USE_MAP ) || defined( USE_ALPHAMAP )
		uniform mat3 uvTransform;
	#endif
#endif
#ifdef USE_MAP
	uniform sampler2D map;
#endif
#ifdef USE_ALPHAMAP
	uniform sampler2D alphaMap;
#endif`,Dv=`float metalnessFactor = metalness;
#ifdef USE_METALNESSMAP
	vec4 texelMetalness = texture2D( metalnessMap, vMetalnessMapUv );
	metalnessFactor *= texelMetalness.b;
#endif`,Uv=`#ifdef USE_METALNESSMAP
	uniform sampler2D metalnessMap;
#endif`,Fv=`#ifdef USE_INSTANCING_MORPH
	float morphTargetInfluences[ MORPHTARGETS_COUNT ];
	float morphTargetBaseInfluence = texelFetch( morphTexture, ivec2( 0, gl_InstanceID ), 0 ).r;
	for ( int i = 0; i < MORPHTARGETS_COUNT; i ++ ) {
		morphTargetInfluences[i] =  texelFetch( morphTexture, ivec2( i + 1, gl_InstanceID ), 0 ).r;
	}
#endif`,Ov=`#if defined( USE_MORPHCOLORS )
	#if defined( USE_COLOR_ALPHA )
		vColor *= morphTargetBaseInfluence;
	#elif defined( USE_COLOR )
		vColor.rgb *= morphTargetBaseInfluence;
	#endif
	for ( int i = 0; i < MORPHTARGETS_COUNT; i ++ ) {
		#if defined( USE_COLOR_ALPHA )
			if ( morphTargetInfluences[ i ] != 0.0 ) vColor += getMorph( gl_VertexID, i, 2 ) * morphTargetInfluences[ i ];
		#elif defined( USE_COLOR )
			if ( morphTargetInfluences[ i ] != 0.0 ) vColor.rgb += getMorph( gl_VertexID, i, 2 ).rgb * morphTargetInfluences[ i ];
		#endif
	}
#endif`,Bv=`#ifdef USE_MORPHNORMALS
	objectNormal *= morphTargetBaseInfluence;
	for ( int i = 0; i < MORPHTARGETS_COUNT; i ++ ) {
		if ( morphTargetInfluences[ i ] != 0.0 ) objectNormal += getMorph( gl_VertexID, i, 1 ).xyz * morphTargetInfluences[ i ];
	}
#endif`,zv=`#ifdef USE_MORPHTARGETS
	#ifndef USE_INSTANCING_MORPH
		uniform float morphTargetBaseInfluence;
		uniform float morphTargetInfluences[ MORPHTARGETS_COUNT ];
	#endif
	uniform sampler2DArray morphTargetsTexture;
	uniform ivec2 morphTargetsTextureSize;
	vec4 getMorph( const in int vertexIndex, const in int morphTargetIndex, const in int offset ) {
		int texelIndex = vertexIndex * MORPHTARGETS_TEXTURE_STRIDE + offset;
		int y = texelIndex / morphTargetsTextureSize.x;
		int x = texelIndex - y * morphTargetsTextureSize.x;
		ivec3 morphUV = ivec3( x, y, morphTargetIndex );
		return texelFetch( morphTargetsTexture, morphUV, 0 );
	}
#endif`,kv=`#ifdef USE_MORPHTARGETS
	transformed *= morphTargetBaseInfluence;
	for ( int i = 0; i < MORPHTARGETS_COUNT; i ++ ) {
		if ( morphTargetInfluences[ i ] != 0.0 ) transformed += getMorph( gl_VertexID, i, 0 ).xyz * morphTargetInfluences[ i ];
	}
#endif`,Gv=`float faceDirection = gl_FrontFacing ? 1.0 : - 1.0;
#ifdef FLAT_SHADED
	vec3 fdx = dFdx( vViewPosition );
	vec3 fdy = dFdy( vViewPosition );
	vec3 normal = normalize( cross( fdx, fdy ) );
#else
	vec3 normal = normalize( vNormal );
	#ifdef DOUBLE_SIDED
		normal *= faceDirection;
	#endif
#endif
#if defined( USE_NORMALMAP_TANGENTSPACE ) || defined( USE_CLEARCOAT_NORMALMAP ) || defined( USE_ANISOTROPY )
	#ifdef USE_TANGENT
		mat3 tbn = mat3( normalize( vTangent ), normalize( vBitangent ), normal );
	#else
		mat3 tbn = getTangentFrame( - vViewPosition, normal,
		#if defined( USE_NORMALMAP )
			vNormalMapUv
		#elif defined( USE_CLEARCOAT_NORMALMAP )
			vClearcoatNormalMapUv
		#else
			vUv
		#endif
		);
	#endif
	#ifdef DOUBLE_SIDED
		tbn[0] *= faceDirection;
		tbn[1] *= faceDirection;
	#endif
#endif
#ifdef USE_CLEARCOAT_NORMALMAP
	#ifdef USE_TANGENT
		mat3 tbn2 = mat3( normalize( vTangent ), normalize( vBitangent ), normal );
	#else
		mat3 tbn2 = getTangentFrame( - vViewPosition, normal, vClearcoatNormalMapUv );
	#endif
	#ifdef DOUBLE_SIDED
		tbn2[0] *= faceDirection;
		tbn2[1] *= faceDirection;
	#endif
#endif
vec3 nonPerturbedNormal = normal;`,Vv=`#ifdef USE_NORMALMAP_OBJECTSPACE
	normal = texture2D( normalMap, vNormalMapUv ).xyz * 2.0 - 1.0;
	#ifdef FLIP_SIDED
		normal = - normal;
	#endif
	#ifdef DOUBLE_SIDED
		normal = normal * faceDirection;
	#endif
	normal = normalize( normalMatrix * normal );
#elif defined( USE_NORMALMAP_TANGENTSPACE )
	vec3 mapN = texture2D( normalMap, vNormalMapUv ).xyz * 2.0 - 1.0;
	#if defined( USE_PACKED_NORMALMAP )
		mapN = vec3( mapN.xy, sqrt( saturate( 1.0 - dot( mapN.xy, mapN.xy ) ) ) );
	#endif
	mapN.xy *= normalScale;
	normal = normalize( tbn * mapN );
#elif defined( USE_BUMPMAP )
	normal = perturbNormalArb( - vViewPosition, normal, dHdxy_fwd(), faceDirection );
#endif`,Hv=`#ifndef FLAT_SHADED
	varying vec3 vNormal;
	#ifdef USE_TANGENT
		varying vec3 vTangent;
		varying vec3 vBitangent;
	#endif
#endif`,Wv=`#ifndef FLAT_SHADED
	varying vec3 vNormal;
	#ifdef USE_TANGENT
		varying vec3 vTangent;
		varying vec3 vBitangent;
	#endif
#endif`,Xv=`#ifndef FLAT_SHADED
	vNormal = normalize( transformedNormal );
	#ifdef USE_TANGENT
		vTangent = normalize( transformedTangent );
		vBitangent = normalize( cross( vNormal, vTangent ) * tangent.w );
		#ifdef FLIP_SIDED
			vBitangent = - vBitangent;
		#endif
	#endif
#endif`,qv=`#ifdef USE_NORMALMAP
	uniform sampler2D normalMap;
	uniform vec2 normalScale;
#endif
#ifdef USE_NORMALMAP_OBJECTSPACE
	uniform mat3 normalMatrix;
#endif
#if ! defined ( USE_TANGENT ) && ( defined ( USE_NORMALMAP_TANGENTSPACE ) || defined ( USE_CLEARCOAT_NORMALMAP ) || defined( USE_ANISOTROPY ) )
	mat3 getTangentFrame( vec3 eye_pos, vec3 surf_norm, vec2 uv ) {
		vec3 q0 = dFdx( eye_pos.xyz );
		vec3 q1 = dFdy( eye_pos.xyz );
		vec2 st0 = dFdx( uv.st );
		vec2 st1 = dFdy( uv.st );
		vec3 N = surf_norm;
		vec3 q1perp = cross( q1, N );
		vec3 q0perp = cross( N, q0 );
		vec3 T = q1perp * st0.x + q0perp * st1.x;
		vec3 B = q1perp * st0.y + q0perp * st1.y;
		float det = max( dot( T, T ), dot( B, B ) );
		float scale = ( det == 0.0 ) ? 0.0 : inversesqrt( det );
		return mat3( T * scale, B * scale, N );
	}
#endif`,Yv=`#ifdef USE_CLEARCOAT
	vec3 clearcoatNormal = nonPerturbedNormal;
#endif`,$v=`#ifdef USE_CLEARCOAT_NORMALMAP
	vec3 clearcoatMapN = texture2D( clearcoatNormalMap, vClearcoatNormalMapUv ).xyz * 2.0 - 1.0;
	clearcoatMapN.xy *= clearcoatNormalScale;
	clearcoatNormal = normalize( tbn2 * clearcoatMapN );
#endif`,Zv=`#ifdef USE_CLEARCOATMAP
	uniform sampler2D clearcoatMap;
#endif
#ifdef USE_CLEARCOAT_NORMALMAP
	uniform sampler2D clearcoatNormalMap;
	uniform vec2 clearcoatNormalScale;
#endif
#ifdef USE_CLEARCOAT_ROUGHNESSMAP
	uniform sampler2D clearcoatRoughnessMap;
#endif`,Jv=`#ifdef USE_IRIDESCENCEMAP
	uniform sampler2D iridescenceMap;
#endif
#ifdef USE_IRIDESCENCE_THICKNESSMAP
	uniform sampler2D iridescenceThicknessMap;
#endif`,Kv=`#ifdef OPAQUE
diffuseColor.a = 1.0;
#endif
#ifdef USE_TRANSMISSION
diffuseColor.a *= material.transmissionAlpha;
#endif
gl_FragColor = vec4( outgoingLight, diffuseColor.a );`,jv=`vec3 packNormalToRGB( const in vec3 normal ) {
	return normalize( normal ) * 0.5 + 0.5;
}
vec3 unpackRGBToNormal( const in vec3 rgb ) {
	return 2.0 * rgb.xyz - 1.0;
}
const float PackUpscale = 256. / 255.;const float UnpackDownscale = 255. / 256.;const float ShiftRight8 = 1. / 256.;
const float Inv255 = 1. / 255.;
const vec4 PackFactors = vec4( 1.0, 256.0, 256.0 * 256.0, 256.0 * 256.0 * 256.0 );
const vec2 UnpackFactors2 = vec2( UnpackDownscale, 1.0 / PackFactors.g );
const vec3 UnpackFactors3 = vec3( UnpackDownscale / PackFactors.rg, 1.0 / PackFactors.b );
const vec4 UnpackFactors4 = vec4( UnpackDownscale / PackFactors.rgb, 1.0 / PackFactors.a );
vec4 packDepthToRGBA( const in float v ) {
	if( v <= 0.0 )
		return vec4( 0., 0., 0., 0. );
	if( v >= 1.0 )
		return vec4( 1., 1., 1., 1. );
	float vuf;
	float af = modf( v * PackFactors.a, vuf );
	float bf = modf( vuf * ShiftRight8, vuf );
	float gf = modf( vuf * ShiftRight8, vuf );
	return vec4( vuf * Inv255, gf * PackUpscale, bf * PackUpscale, af );
}
vec3 packDepthToRGB( const in float v ) {
	if( v <= 0.0 )
		return vec3( 0., 0., 0. );
	if( v >= 1.0 )
		return vec3( 1., 1., 1. );
	float vuf;
	float bf = modf( v * PackFactors.b, vuf );
	float gf = modf( vuf * ShiftRight8, vuf );
	return vec3( vuf * Inv255, gf * PackUpscale, bf );
}
vec2 packDepthToRG( const in float v ) {
	if( v <= 0.0 )
		return vec2( 0., 0. );
	if( v >= 1.0 )
		return vec2( 1., 1. );
	float vuf;
	float gf = modf( v * 256., vuf );
	return vec2( vuf * Inv255, gf );
}
float unpackRGBAToDepth( const in vec4 v ) {
	return dot( v, UnpackFactors4 );
}
float unpackRGBToDepth( const in vec3 v ) {
	return dot( v, UnpackFactors3 );
}
float unpackRGToDepth( const in vec2 v ) {
	return v.r * UnpackFactors2.r + v.g * UnpackFactors2.g;
}
vec4 pack2HalfToRGBA( const in vec2 v ) {
	vec4 r = vec4( v.x, fract( v.x * 255.0 ), v.y, fract( v.y * 255.0 ) );
	return vec4( r.x - r.y / 255.0, r.y, r.z - r.w / 255.0, r.w );
}
vec2 unpackRGBATo2Half( const in vec4 v ) {
	return vec2( v.x + ( v.y / 255.0 ), v.z + ( v.w / 255.0 ) );
}
float viewZToOrthographicDepth( const in float viewZ, const in float near, const in float far ) {
	return ( viewZ + near ) / ( near - far );
}
float orthographicDepthToViewZ( const in float depth, const in float near, const in float far ) {
	#ifdef USE_REVERSED_DEPTH_BUFFER
	
		return depth * ( far - near ) - far;
	#else
		return depth * ( near - far ) - near;
	#endif
}
float viewZToPerspectiveDepth( const in float viewZ, const in float near, const in float far ) {
	return ( ( near + viewZ ) * far ) / ( ( far - near ) * viewZ );
}
float perspectiveDepthToViewZ( const in float depth, const in float near, const in float far ) {
	
	#ifdef USE_REVERSED_DEPTH_BUFFER
		return ( near * far ) / ( ( near - far ) * depth - near );
	#else
		return ( near * far ) / ( ( far - near ) * depth - far );
	#endif
}`,Qv=`#ifdef PREMULTIPLIED_ALPHA
	gl_FragColor.rgb *= gl_FragColor.a;
#endif`,eM=`vec4 mvPosition = vec4( transformed, 1.0 );
#ifdef USE_BATCHING
	mvPosition = batchingMatrix * mvPosition;
#endif
#ifdef USE_INSTANCING
	mvPosition = instanceMatrix * mvPosition;
#endif
mvPosition = modelViewMatrix * mvPosition;
gl_Position = projectionMatrix * mvPosition;`,tM=`#ifdef DITHERING
	gl_FragColor.rgb = dithering( gl_FragColor.rgb );
#endif`,nM=`#ifdef DITHERING
	vec3 dithering( vec3 color ) {
		float grid_position = rand( gl_FragCoord.xy );
		vec3 dither_shift_RGB = vec3( 0.25 / 255.0, -0.25 / 255.0, 0.25 / 255.0 );
		dither_shift_RGB = mix( 2.0 * dither_shift_RGB, -2.0 * dither_shift_RGB, grid_position );
		return color + dither_shift_RGB;
	}
#endif`,iM=`float roughnessFactor = roughness;
#ifdef USE_ROUGHNESSMAP
	vec4 texelRoughness = texture2D( roughnessMap, vRoughnessMapUv );
	roughnessFactor *= texelRoughness.g;
#endif`,sM=`#ifdef USE_ROUGHNESSMAP
	uniform sampler2D roughnessMap;
#endif`,rM=`#if NUM_SPOT_LIGHT_COORDS > 0
	varying vec4 vSpotLightCoord[ NUM_SPOT_LIGHT_COORDS ];
#endif
#if NUM_SPOT_LIGHT_MAPS > 0
	uniform sampler2D spotLightMap[ NUM_SPOT_LIGHT_MAPS ];
#endif
#ifdef USE_SHADOWMAP
	#if NUM_SUN_LIGHT_SHADOWS > 0
		#define SUN_LIGHT_CASCADES 2
		#if defined( SHADOWMAP_TYPE_PCF )
			uniform sampler2DShadow sunShadowMap[ NUM_SUN_LIGHT_SHADOWS ];
		#else
			uniform sampler2D sunShadowMap[ NUM_SUN_LIGHT_SHADOWS ];
		#endif
		uniform mat4 sunShadowMatrix[ NUM_SUN_LIGHT_SHADOWS * SUN_LIGHT_CASCADES ];
		uniform vec4 sunShadowCascade[ NUM_SUN_LIGHT_SHADOWS * SUN_LIGHT_CASCADES ];
		varying vec4 vSunShadowWorldPosition;
		varying vec3 vSunShadowWorldNormal;
		struct SunLightShadow {
			float shadowIntensity;
			float shadowBias;
			float shadowNormalBias;
			float shadowRadius;
			vec2 shadowMapSize;
		};
		uniform SunLightShadow sunLightShadows[ NUM_SUN_LIGHT_SHADOWS ];
	#endif
	#if NUM_DIR_LIGHT_SHADOWS > 0
		#if defined( SHADOWMAP_TYPE_PCF )
			uniform sampler2DShadow directionalShadowMap[ NUM_DIR_LIGHT_SHADOWS ];
		#else
			uniform sampler2D directionalShadowMap[ NUM_DIR_LIGHT_SHADOWS ];
		#endif
		varying vec4 vDirectionalShadowCoord[ NUM_DIR_LIGHT_SHADOWS ];
		struct DirectionalLightShadow {
			float shadowIntensity;
			float shadowBias;
			float shadowNormalBias;
			float shadowRadius;
			vec2 shadowMapSize;
		};
		uniform DirectionalLightShadow directionalLightShadows[ NUM_DIR_LIGHT_SHADOWS ];
	#endif
	#if NUM_SPOT_LIGHT_SHADOWS > 0
		#if defined( SHADOWMAP_TYPE_PCF )
			uniform sampler2DShadow spotShadowMap[ NUM_SPOT_LIGHT_SHADOWS ];
		#else
			uniform sampler2D spotShadowMap[ NUM_SPOT_LIGHT_SHADOWS ];
		#endif
		struct SpotLightShadow {
			float shadowIntensity;
			float shadowBias;
			float shadowNormalBias;
			float shadowRadius;
			vec2 shadowMapSize;
		};
		uniform SpotLightShadow spotLightShadows[ NUM_SPOT_LIGHT_SHADOWS ];
	#endif
	#if NUM_POINT_LIGHT_SHADOWS > 0
		#if defined( SHADOWMAP_TYPE_PCF )
			uniform samplerCubeShadow pointShadowMap[ NUM_POINT_LIGHT_SHADOWS ];
		#elif defined( SHADOWMAP_TYPE_BASIC )
			uniform samplerCube pointShadowMap[ NUM_POINT_LIGHT_SHADOWS ];
		#endif
		varying vec4 vPointShadowCoord[ NUM_POINT_LIGHT_SHADOWS ];
		struct PointLightShadow {
			float shadowIntensity;
			float shadowBias;
			float shadowNormalBias;
			float shadowRadius;
			vec2 shadowMapSize;
			float shadowCameraNear;
			float shadowCameraFar;
		};
		uniform PointLightShadow pointLightShadows[ NUM_POINT_LIGHT_SHADOWS ];
	#endif
	#if defined( SHADOWMAP_TYPE_PCF )
		float interleavedGradientNoise( vec2 position ) {
			return fract( 52.9829189 * fract( dot( position, vec2( 0.06711056, 0.00583715 ) ) ) );
		}
		vec2 vogelDiskSample( int sampleIndex, int samplesCount, float phi ) {
			const float goldenAngle = 2.399963229728653;
			float r = sqrt( ( float( sampleIndex ) + 0.5 ) / float( samplesCount ) );
			float theta = float( sampleIndex ) * goldenAngle + phi;
			return vec2( cos( theta ), sin( theta ) ) * r;
		}
	#endif
	#if defined( SHADOWMAP_TYPE_PCF )
		float getShadow( sampler2DShadow shadowMap, vec2 shadowMapSize, float shadowIntensity, float shadowBias, float shadowRadius, vec4 shadowCoord ) {
			float shadow = 1.0;
			shadowCoord.xyz /= shadowCoord.w;
			#ifdef USE_REVERSED_DEPTH_BUFFER
				shadowCoord.z -= shadowBias;
			#else
				shadowCoord.z += shadowBias;
			#endif
			bool inFrustum = shadowCoord.x >= 0.0 && shadowCoord.x <= 1.0 && shadowCoord.y >= 0.0 && shadowCoord.y <= 1.0;
			bool frustumTest = inFrustum && shadowCoord.z <= 1.0;
			if ( frustumTest ) {
				vec2 texelSize = vec2( 1.0 ) / shadowMapSize;
				vec2 radius = shadowRadius * texelSize;
				float phi = interleavedGradientNoise( gl_FragCoord.xy ) * PI2;
				shadow = (
					texture( shadowMap, vec3( shadowCoord.xy + vogelDiskSample( 0, 5, phi ) * radius, shadowCoord.z ) ) +
					texture( shadowMap, vec3( shadowCoord.xy + vogelDiskSample( 1, 5, phi ) * radius, shadowCoord.z ) ) +
					texture( shadowMap, vec3( shadowCoord.xy + vogelDiskSample( 2, 5, phi ) * radius, shadowCoord.z ) ) +
					texture( shadowMap, vec3( shadowCoord.xy + vogelDiskSample( 3, 5, phi ) * radius, shadowCoord.z ) ) +
					texture( shadowMap, vec3( shadowCoord.xy + vogelDiskSample( 4, 5, phi ) * radius, shadowCoord.z ) )
				) * 0.2;
			}
			return mix( 1.0, shadow, shadowIntensity );
		}
	#elif defined( SHADOWMAP_TYPE_VSM )
		float getShadow( sampler2D shadowMap, vec2 shadowMapSize, float shadowIntensity, float shadowBias, float shadowRadius, vec4 shadowCoord ) {
			float shadow = 1.0;
			shadowCoord.xyz /= shadowCoord.w;
			#ifdef USE_REVERSED_DEPTH_BUFFER
				shadowCoord.z -= shadowBias;
			#else
				shadowCoord.z += shadowBias;
			#endif
			bool inFrustum = shadowCoord.x >= 0.0 && shadowCoord.x <= 1.0 && shadowCoord.y >= 0.0 && shadowCoord.y <= 1.0;
			bool frustumTest = inFrustum && shadowCoord.z <= 1.0;
			if ( frustumTest ) {
				vec2 distribution = texture2D( shadowMap, shadowCoord.xy ).rg;
				float mean = distribution.x;
				float variance = distribution.y * distribution.y;
				#ifdef USE_REVERSED_DEPTH_BUFFER
					float hard_shadow = step( mean, shadowCoord.z );
				#else
					float hard_shadow = step( shadowCoord.z, mean );
				#endif
				
				if ( hard_shadow == 1.0 ) {
					shadow = 1.0;
				} else {
					variance = max( variance, 0.0000001 );
					float d = shadowCoord.z - mean;
					float p_max = variance / ( variance + d * d );
					p_max = clamp( ( p_max - 0.3 ) / 0.65, 0.0, 1.0 );
					shadow = max( hard_shadow, p_max );
				}
			}
			return mix( 1.0, shadow, shadowIntensity );
		}
	#else
		float getShadow( sampler2D shadowMap, vec2 shadowMapSize, float shadowIntensity, float shadowBias, float shadowRadius, vec4 shadowCoord ) {
			float shadow = 1.0;
			shadowCoord.xyz /= shadowCoord.w;
			#ifdef USE_REVERSED_DEPTH_BUFFER
				shadowCoord.z -= shadowBias;
			#else
				shadowCoord.z += shadowBias;
			#endif
			bool inFrustum = shadowCoord.x >= 0.0 && shadowCoord.x <= 1.0 && shadowCoord.y >= 0.0 && shadowCoord.y <= 1.0;
			bool frustumTest = inFrustum && shadowCoord.z <= 1.0;
			if ( frustumTest ) {
				float depth = texture2D( shadowMap, shadowCoord.xy ).r;
				#ifdef USE_REVERSED_DEPTH_BUFFER
					shadow = step( depth, shadowCoord.z );
				#else
					shadow = step( shadowCoord.z, depth );
				#endif
			}
			return mix( 1.0, shadow, shadowIntensity );
		}
	#endif
	#if NUM_SUN_LIGHT_SHADOWS > 0
		float getSunShadow(
			#if defined( SHADOWMAP_TYPE_PCF )
				sampler2DShadow shadowMap,
			#else
				sampler2D shadowMap,
			#endif
			SunLightShadow sunLightShadow,
			int shadowIndex
		) {
			vec4 shadowWorldPosition = vec4( vSunShadowWorldPosition.xyz + vSunShadowWorldNormal * sunLightShadow.shadowNormalBias, 1.0 );
			float viewDepth = vSunShadowWorldPosition.w;
			int cascadeOffset = shadowIndex * SUN_LIGHT_CASCADES;
			float shadow = 1.0;
			for ( int i = SUN_LIGHT_CASCADES - 1; i >= 0; i -- ) {
				vec4 cascade = sunShadowCascade[ cascadeOffset + i ];
				if ( viewDepth >= cascade.x && viewDepth < cascade.y ) {
					float cascadeShadow = getShadow(
						shadowMap,
						sunLightShadow.shadowMapSize,
						sunLightShadow.shadowIntensity,
						sunLightShadow.shadowBias,
						sunLightShadow.shadowRadius,
						sunShadowMatrix[ cascadeOffset + i ] * shadowWorldPosition
					);
					shadow = mix( cascadeShadow, shadow, smoothstep( cascade.z, cascade.y, viewDepth ) );
				}
			}
			return shadow;
		}
	#endif
	#if NUM_POINT_LIGHT_SHADOWS > 0
	#if defined( SHADOWMAP_TYPE_PCF )
	float getPointShadow( samplerCubeShadow shadowMap, vec2 shadowMapSize, float shadowIntensity, float shadowBias, float shadowRadius, vec4 shadowCoord, float shadowCameraNear, float shadowCameraFar ) {
		float shadow = 1.0;
		vec3 lightToPosition = shadowCoord.xyz;
		vec3 bd3D = normalize( lightToPosition );
		vec3 absVec = abs( lightToPosition );
		float viewSpaceZ = max( max( absVec.x, absVec.y ), absVec.z );
		if ( viewSpaceZ - shadowCameraFar <= 0.0 && viewSpaceZ - shadowCameraNear >= 0.0 ) {
			float lightDistance = length( lightToPosition );
			float depthRange = shadowCameraFar - shadowCameraNear;
			#ifdef USE_REVERSED_DEPTH_BUFFER
				float depthA = - shadowCameraNear / depthRange - shadowBias;
				float depthB = shadowCameraNear * shadowCameraFar / ( depthRange * lightDistance );
			#else
				float depthA = shadowCameraFar / depthRange + shadowBias;
				float depthB = - shadowCameraNear * shadowCameraFar / ( depthRange * lightDistance );
			#endif
			float texelSize = shadowRadius / shadowMapSize.x;
			vec3 absDir = abs( bd3D );
			vec3 tangent = absDir.x > absDir.z ? vec3( 0.0, 1.0, 0.0 ) : vec3( 1.0, 0.0, 0.0 );
			tangent = normalize( cross( bd3D, tangent ) );
			vec3 bitangent = cross( bd3D, tangent );
			float phi = interleavedGradientNoise( gl_FragCoord.xy ) * PI2;
			shadow = 0.0;
			for ( int i = 0; i < 5; i ++ ) {
				vec2 offset = vogelDiskSample( i, 5, phi );
				vec3 direction = bd3D + ( tangent * offset.x + bitangent * offset.y ) * texelSize;
				vec3 absDirection = abs( direction );
				float dp = depthA + depthB / max( max( absDirection.x, absDirection.y ), absDirection.z );
				shadow += texture( shadowMap, vec4( direction, dp ) );
			}
			shadow *= 0.2;
		}
		return mix( 1.0, shadow, shadowIntensity );
	}
	#elif defined( SHADOWMAP_TYPE_BASIC )
	float getPointShadow( samplerCube shadowMap, vec2 shadowMapSize, float shadowIntensity, float shadowBias, float shadowRadius, vec4 shadowCoord, float shadowCameraNear, float shadowCameraFar ) {
		float shadow = 1.0;
		vec3 lightToPosition = shadowCoord.xyz;
		vec3 absVec = abs( lightToPosition );
		float viewSpaceZ = max( max( absVec.x, absVec.y ), absVec.z );
		if ( viewSpaceZ - shadowCameraFar <= 0.0 && viewSpaceZ - shadowCameraNear >= 0.0 ) {
			float dp = ( shadowCameraFar * ( viewSpaceZ - shadowCameraNear ) ) / ( viewSpaceZ * ( shadowCameraFar - shadowCameraNear ) );
			dp += shadowBias;
			vec3 bd3D = normalize( lightToPosition );
			float depth = textureCube( shadowMap, bd3D ).r;
			#ifdef USE_REVERSED_DEPTH_BUFFER
				depth = 1.0 - depth;
			#endif
			shadow = step( dp, depth );
		}
		return mix( 1.0, shadow, shadowIntensity );
	}
	#endif
	#endif
#endif`,oM=`#if NUM_SPOT_LIGHT_COORDS > 0
	uniform mat4 spotLightMatrix[ NUM_SPOT_LIGHT_COORDS ];
	varying vec4 vSpotLightCoord[ NUM_SPOT_LIGHT_COORDS ];
#endif
#ifdef USE_SHADOWMAP
	#if NUM_SUN_LIGHT_SHADOWS > 0
		varying vec4 vSunShadowWorldPosition;
		varying vec3 vSunShadowWorldNormal;
	#endif
	#if NUM_DIR_LIGHT_SHADOWS > 0
		uniform mat4 directionalShadowMatrix[ NUM_DIR_LIGHT_SHADOWS ];
		varying vec4 vDirectionalShadowCoord[ NUM_DIR_LIGHT_SHADOWS ];
		struct DirectionalLightShadow {
			float shadowIntensity;
			float shadowBias;
			float shadowNormalBias;
			float shadowRadius;
			vec2 shadowMapSize;
		};
		uniform DirectionalLightShadow directionalLightShadows[ NUM_DIR_LIGHT_SHADOWS ];
	#endif
	#if NUM_SPOT_LIGHT_SHADOWS > 0
		struct SpotLightShadow {
			float shadowIntensity;
			float shadowBias;
			float shadowNormalBias;
			float shadowRadius;
			vec2 shadowMapSize;
		};
		uniform SpotLightShadow spotLightShadows[ NUM_SPOT_LIGHT_SHADOWS ];
	#endif
	#if NUM_POINT_LIGHT_SHADOWS > 0
		uniform mat4 pointShadowMatrix[ NUM_POINT_LIGHT_SHADOWS ];
		varying vec4 vPointShadowCoord[ NUM_POINT_LIGHT_SHADOWS ];
		struct PointLightShadow {
			float shadowIntensity;
			float shadowBias;
			float shadowNormalBias;
			float shadowRadius;
			vec2 shadowMapSize;
			float shadowCameraNear;
			float shadowCameraFar;
		};
		uniform PointLightShadow pointLightShadows[ NUM_POINT_LIGHT_SHADOWS ];
	#endif
#endif`,aM=`#if ( defined( USE_SHADOWMAP ) && ( NUM_DIR_LIGHT_SHADOWS > 0 || NUM_SUN_LIGHT_SHADOWS > 0 || NUM_POINT_LIGHT_SHADOWS > 0 ) ) || ( NUM_SPOT_LIGHT_COORDS > 0 )
	#ifdef HAS_NORMAL
		vec3 shadowWorldNormal = transformNormalByInverseViewMatrix( transformedNormal, viewMatrix );
	#else
		vec3 shadowWorldNormal = vec3( 0.0 );
	#endif
	vec4 shadowWorldPosition;
#endif
#if defined( USE_SHADOWMAP )
	#if NUM_SUN_LIGHT_SHADOWS > 0
		vSunShadowWorldPosition = vec4( worldPosition.xyz, - mvPosition.z );
		vSunShadowWorldNormal = shadowWorldNormal;
	#endif
	#if NUM_DIR_LIGHT_SHADOWS > 0
		#pragma unroll_loop_start
		for ( int i = 0; i < NUM_DIR_LIGHT_SHADOWS; i ++ ) {
			shadowWorldPosition = worldPosition + vec4( shadowWorldNormal * directionalLightShadows[ i ].shadowNormalBias, 0 );
			vDirectionalShadowCoord[ i ] = directionalShadowMatrix[ i ] * shadowWorldPosition;
		}
		#pragma unroll_loop_end
	#endif
	#if NUM_POINT_LIGHT_SHADOWS > 0
		#pragma unroll_loop_start
		for ( int i = 0; i < NUM_POINT_LIGHT_SHADOWS; i ++ ) {
			shadowWorldPosition = worldPosition + vec4( shadowWorldNormal * pointLightShadows[ i ].shadowNormalBias, 0 );
			vPointShadowCoord[ i ] = pointShadowMatrix[ i ] * shadowWorldPosition;
		}
		#pragma unroll_loop_end
	#endif
#endif
#if NUM_SPOT_LIGHT_COORDS > 0
	#pragma unroll_loop_start
	for ( int i = 0; i < NUM_SPOT_LIGHT_COORDS; i ++ ) {
		shadowWorldPosition = worldPosition;
		#if ( defined( USE_SHADOWMAP ) && UNROLLED_LOOP_INDEX < NUM_SPOT_LIGHT_SHADOWS )
			shadowWorldPosition.xyz += shadowWorldNormal * spotLightShadows[ i ].shadowNormalBias;
		#endif
		vSpotLightCoord[ i ] = spotLightMatrix[ i ] * shadowWorldPosition;
	}
	#pragma unroll_loop_end
#endif`,lM=`float getShadowMask() {
	float shadow = 1.0;
	#ifdef USE_SHADOWMAP
	#if NUM_SUN_LIGHT_SHADOWS > 0
	SunLightShadow sunLight;
	#pragma unroll_loop_start
	for ( int i = 0; i < NUM_SUN_LIGHT_SHADOWS; i ++ ) {
		sunLight = sunLightShadows[ i ];
		shadow *= receiveShadow ? getSunShadow( sunShadowMap[ i ], sunLight, UNROLLED_LOOP_INDEX ) : 1.0;
	}
	#pragma unroll_loop_end
	#endif
	#if NUM_DIR_LIGHT_SHADOWS > 0
	DirectionalLightShadow directionalLight;
	#pragma unroll_loop_start
	for ( int i = 0; i < NUM_DIR_LIGHT_SHADOWS; i ++ ) {
		directionalLight = directionalLightShadows[ i ];
		shadow *= receiveShadow ? getShadow( directionalShadowMap[ i ], directionalLight.shadowMapSize, directionalLight.shadowIntensity, directionalLight.shadowBias, directionalLight.shadowRadius, vDirectionalShadowCoord[ i ] ) : 1.0;
	}
	#pragma unroll_loop_end
	#endif
	#if NUM_SPOT_LIGHT_SHADOWS > 0
	SpotLightShadow spotLight;
	#pragma unroll_loop_start
	for ( int i = 0; i < NUM_SPOT_LIGHT_SHADOWS; i ++ ) {
		spotLight = spotLightShadows[ i ];
		shadow *= receiveShadow ? getShadow( spotShadowMap[ i ], spotLight.shadowMapSize, spotLight.shadowIntensity, spotLight.shadowBias, spotLight.shadowRadius, vSpotLightCoord[ i ] ) : 1.0;
	}
	#pragma unroll_loop_end
	#endif
	#if NUM_POINT_LIGHT_SHADOWS > 0 && ( defined( SHADOWMAP_TYPE_PCF ) || defined( SHADOWMAP_TYPE_BASIC ) )
	PointLightShadow pointLight;
	#pragma unroll_loop_start
	for ( int i = 0; i < NUM_POINT_LIGHT_SHADOWS; i ++ ) {
		pointLight = pointLightShadows[ i ];
		shadow *= receiveShadow ? getPointShadow( pointShadowMap[ i ], pointLight.shadowMapSize, pointLight.shadowIntensity, pointLight.shadowBias, pointLight.shadowRadius, vPointShadowCoord[ i ], pointLight.shadowCameraNear, pointLight.shadowCameraFar ) : 1.0;
	}
	#pragma unroll_loop_end
	#endif
	#endif
	return shadow;
}`,cM=`#ifdef USE_SKINNING
	mat4 boneMatX = getBoneMatrix( skinIndex.x );
	mat4 boneMatY = getBoneMatrix( skinIndex.y );
	mat4 boneMatZ = getBoneMatrix( skinIndex.z );
	mat4 boneMatW = getBoneMatrix( skinIndex.w );
#endif`,hM=`#ifdef USE_SKINNING
	uniform mat4 bindMatrix;
	uniform mat4 bindMatrixInverse;
	uniform highp sampler2D boneTexture;
	mat4 getBoneMatrix( const in float i ) {
		int size = textureSize( boneTexture, 0 ).x;
		int j = int( i ) * 4;
		int x = j % size;
		int y = j / size;
		vec4 v1 = texelFetch( boneTexture, ivec2( x, y ), 0 );
		vec4 v2 = texelFetch( boneTexture, ivec2( x + 1, y ), 0 );
		vec4 v3 = texelFetch( boneTexture, ivec2( x + 2, y ), 0 );
		vec4 v4 = texelFetch( boneTexture, ivec2( x + 3, y ), 0 );
		return mat4( v1, v2, v3, v4 );
	}
#endif`,uM=`#ifdef USE_SKINNING
	vec4 skinVertex = bindMatrix * vec4( transformed, 1.0 );
	vec4 skinned = vec4( 0.0 );
	skinned += boneMatX * skinVertex * skinWeight.x;
	skinned += boneMatY * skinVertex * skinWeight.y;
	skinned += boneMatZ * skinVertex * skinWeight.z;
	skinned += boneMatW * skinVertex * skinWeight.w;
	transformed = ( bindMatrixInverse * skinned ).xyz;
#endif`,fM=`#ifdef USE_SKINNING
	mat4 skinMatrix = mat4( 0.0 );
	skinMatrix += skinWeight.x * boneMatX;
	skinMatrix += skinWeight.y * boneMatY;
	skinMatrix += skinWeight.z * boneMatZ;
	skinMatrix += skinWeight.w * boneMatW;
	skinMatrix = bindMatrixInverse * skinMatrix * bindMatrix;
	objectNormal = vec4( skinMatrix * vec4( objectNormal, 0.0 ) ).xyz;
	#ifdef USE_TANGENT
		objectTangent = vec4( skinMatrix * vec4( objectTangent, 0.0 ) ).xyz;
	#endif
#endif`,dM=`float specularStrength;
#ifdef USE_SPECULARMAP
	vec4 texelSpecular = texture2D( specularMap, vSpecularMapUv );
	specularStrength = texelSpecular.r;
#else
	specularStrength = 1.0;
#endif`,pM=`#ifdef USE_SPECULARMAP
	uniform sampler2D specularMap;
#endif`,mM=`#if defined( TONE_MAPPING )
	gl_FragColor.rgb = toneMapping( gl_FragColor.rgb );
#endif`,gM=`#ifndef saturate
#define saturate( a ) clamp( a, 0.0, 1.0 )
#endif
uniform float toneMappingExposure;
vec3 LinearToneMapping( vec3 color ) {
	return saturate( toneMappingExposure * color );
}
vec3 ReinhardToneMapping( vec3 color ) {
	color *= toneMappingExposure;
	return saturate( color / ( vec3( 1.0 ) + color ) );
}
vec3 CineonToneMapping( vec3 color ) {
	color *= toneMappingExposure;
	color = max( vec3( 0.0 ), color - 0.004 );
	return pow( ( color * ( 6.2 * color + 0.5 ) ) / ( color * ( 6.2 * color + 1.7 ) + 0.06 ), vec3( 2.2 ) );
}
vec3 RRTAndODTFit( vec3 v ) {
	vec3 a = v * ( v + 0.0245786 ) - 0.000090537;
	vec3 b = v * ( 0.983729 * v + 0.4329510 ) + 0.238081;
	return a / b;
}
vec3 ACESFilmicToneMapping( vec3 color ) {
	const mat3 ACESInputMat = mat3(
		vec3( 0.59719, 0.07600, 0.02840 ),		vec3( 0.35458, 0.90834, 0.13383 ),
		vec3( 0.04823, 0.01566, 0.83777 )
	);
	const mat3 ACESOutputMat = mat3(
		vec3(  1.60475, -0.10208, -0.00327 ),		vec3( -0.53108,  1.10813, -0.07276 ),
		vec3( -0.07367, -0.00605,  1.07602 )
	);
	color *= toneMappingExposure / 0.6;
	color = ACESInputMat * color;
	color = RRTAndODTFit( color );
	color = ACESOutputMat * color;
	return saturate( color );
}
const mat3 LINEAR_REC2020_TO_LINEAR_SRGB = mat3(
	vec3( 1.6605, - 0.1246, - 0.0182 ),
	vec3( - 0.5876, 1.1329, - 0.1006 ),
	vec3( - 0.0728, - 0.0083, 1.1187 )
);
const mat3 LINEAR_SRGB_TO_LINEAR_REC2020 = mat3(
	vec3( 0.6274, 0.0691, 0.0164 ),
	vec3( 0.3293, 0.9195, 0.0880 ),
	vec3( 0.0433, 0.0113, 0.8956 )
);
vec3 agxDefaultContrastApprox( vec3 x ) {
	vec3 x2 = x * x;
	vec3 x4 = x2 * x2;
	return + 15.5 * x4 * x2
		- 40.14 * x4 * x
		+ 31.96 * x4
		- 6.868 * x2 * x
		+ 0.4298 * x2
		+ 0.1191 * x
		- 0.00232;
}
vec3 AgXToneMapping( vec3 color ) {
	const mat3 AgXInsetMatrix = mat3(
		vec3( 0.856627153315983, 0.137318972929847, 0.11189821299995 ),
		vec3( 0.0951212405381588, 0.761241990602591, 0.0767994186031903 ),
		vec3( 0.0482516061458583, 0.101439036467562, 0.811302368396859 )
	);
	const mat3 AgXOutsetMatrix = mat3(
		vec3( 1.1271005818144368, - 0.1413297634984383, - 0.14132976349843826 ),
		vec3( - 0.11060664309660323, 1.157823702216272, - 0.11060664309660294 ),
		vec3( - 0.016493938717834573, - 0.016493938717834257, 1.2519364065950405 )
	);
	const float AgxMinEv = - 12.47393;	const float AgxMaxEv = 4.026069;
	color *= toneMappingExposure;
	color = LINEAR_SRGB_TO_LINEAR_REC2020 * color;
	color = AgXInsetMatrix * color;
	color = max( color, 1e-10 );	color = log2( color );
	color = ( color - AgxMinEv ) / ( AgxMaxEv - AgxMinEv );
	color = clamp( color, 0.0, 1.0 );
	color = agxDefaultContrastApprox( color );
	color = AgXOutsetMatrix * color;
	color = pow( max( vec3( 0.0 ), color ), vec3( 2.2 ) );
	color = LINEAR_REC2020_TO_LINEAR_SRGB * color;
	color = clamp( color, 0.0, 1.0 );
	return color;
}
vec3 NeutralToneMapping( vec3 color ) {
	const float StartCompression = 0.8 - 0.04;
	const float Desaturation = 0.15;
	color *= toneMappingExposure;
	float x = min( color.r, min( color.g, color.b ) );
	float offset = x < 0.08 ? x - 6.25 * x * x : 0.04;
	color -= offset;
	float peak = max( color.r, max( color.g, color.b ) );
	if ( peak < StartCompression ) return color;
	float d = 1. - StartCompression;
	float newPeak = 1. - d * d / ( peak + d - StartCompression );
	color *= newPeak / peak;
	float g = 1. - 1. / ( Desaturation * ( peak - newPeak ) + 1. );
	return mix( color, vec3( newPeak ), g );
}
vec3 CustomToneMapping( vec3 color ) { return color; }`,xM=`#ifdef USE_TRANSMISSION
	material.transmission = transmission;
	material.transmissionAlpha = 1.0;
	material.thickness = thickness;
	material.attenuationDistance = attenuationDistance;
	material.attenuationColor = attenuationColor;
	#ifdef USE_TRANSMISSIONMAP
		material.transmission *= texture2D( transmissionMap, vTransmissionMapUv ).r;
	#endif
	#ifdef USE_THICKNESSMAP
		material.thickness *= texture2D( thicknessMap, vThicknessMapUv ).g;
	#endif
	vec3 pos = vWorldPosition;
	vec3 v = normalize( cameraPosition - pos );
	vec3 n = transformNormalByInverseViewMatrix( normal, viewMatrix );
	vec4 transmitted = getIBLVolumeRefraction(
		n, v, material.roughness, material.diffuseContribution, material.specularColorBlended, material.specularF90,
		pos, modelMatrix, viewMatrix, projectionMatrix, material.dispersion, material.ior, material.thickness,
		material.attenuationColor, material.attenuationDistance );
	material.transmissionAlpha = mix( material.transmissionAlpha, transmitted.a, material.transmission );
	totalDiffuse = mix( totalDiffuse, transmitted.rgb, material.transmission );
#endif`,_M=`#ifdef USE_TRANSMISSION
	uniform float transmission;
	uniform float thickness;
	uniform float attenuationDistance;
	uniform vec3 attenuationColor;
	#ifdef USE_TRANSMISSIONMAP
		uniform sampler2D transmissionMap;
	#endif
	#ifdef USE_THICKNESSMAP
		uniform sampler2D thicknessMap;
	#endif
	uniform vec2 transmissionSamplerSize;
	uniform sampler2D transmissionSamplerMap;
	uniform mat4 modelMatrix;
	uniform mat4 projectionMatrix;
	varying vec3 vWorldPosition;
	float w0( float a ) {
		return ( 1.0 / 6.0 ) * ( a * ( a * ( - a + 3.0 ) - 3.0 ) + 1.0 );
	}
	float w1( float a ) {
		return ( 1.0 / 6.0 ) * ( a *  a * ( 3.0 * a - 6.0 ) + 4.0 );
	}
	float w2( float a ){
		return ( 1.0 / 6.0 ) * ( a * ( a * ( - 3.0 * a + 3.0 ) + 3.0 ) + 1.0 );
	}
	float w3( float a ) {
		return ( 1.0 / 6.0 ) * ( a * a * a );
	}
	float g0( float a ) {
		return w0( a ) + w1( a );
	}
	float g1( float a ) {
		return w2( a ) + w3( a );
	}
	float h0( float a ) {
		return - 1.0 + w1( a ) / ( w0( a ) + w1( a ) );
	}
	float h1( float a ) {
		return 1.0 + w3( a ) / ( w2( a ) + w3( a ) );
	}
	vec4 bicubic( sampler2D tex, vec2 uv, vec4 texelSize, float lod ) {
		uv = uv * texelSize.zw + 0.5;
		vec2 iuv = floor( uv );
		vec2 fuv = fract( uv );
		float g0x = g0( fuv.x );
		float g1x = g1( fuv.x );
		float h0x = h0( fuv.x );
		float h1x = h1( fuv.x );
		float h0y = h0( fuv.y );
		float h1y = h1( fuv.y );
		vec2 p0 = ( vec2( iuv.x + h0x, iuv.y + h0y ) - 0.5 ) * texelSize.xy;
		vec2 p1 = ( vec2( iuv.x + h1x, iuv.y + h0y ) - 0.5 ) * texelSize.xy;
		vec2 p2 = ( vec2( iuv.x + h0x, iuv.y + h1y ) - 0.5 ) * texelSize.xy;
		vec2 p3 = ( vec2( iuv.x + h1x, iuv.y + h1y ) - 0.5 ) * texelSize.xy;
		return g0( fuv.y ) * ( g0x * textureLod( tex, p0, lod ) + g1x * textureLod( tex, p1, lod ) ) +
			g1( fuv.y ) * ( g0x * textureLod( tex, p2, lod ) + g1x * textureLod( tex, p3, lod ) );
	}
	vec4 textureBicubic( sampler2D sampler, vec2 uv, float lod ) {
		vec2 fLodSize = vec2( textureSize( sampler, int( lod ) ) );
		vec2 cLodSize = vec2( textureSize( sampler, int( lod + 1.0 ) ) );
		vec2 fLodSizeInv = 1.0 / fLodSize;
		vec2 cLodSizeInv = 1.0 / cLodSize;
		vec4 fSample = bicubic( sampler, uv, vec4( fLodSizeInv, fLodSize ), floor( lod ) );
		vec4 cSample = bicubic( sampler, uv, vec4( cLodSizeInv, cLodSize ), ceil( lod ) );
		return mix( fSample, cSample, fract( lod ) );
	}
	vec3 getVolumeTransmissionRay( const in vec3 n, const in vec3 v, const in float thickness, const in float ior, const in mat4 modelMatrix ) {
		vec3 refractionVector = refract( - v, normalize( n ), 1.0 / ior );
		vec3 modelScale;
		modelScale.x = length( vec3( modelMatrix[ 0 ].xyz ) );
		modelScale.y = length( vec3( modelMatrix[ 1 ].xyz ) );
		modelScale.z = length( vec3( modelMatrix[ 2 ].xyz ) );
		return normalize( refractionVector ) * thickness * modelScale;
	}
	float applyIorToRoughness( const in float roughness, const in float ior ) {
		return roughness * clamp( ior * 2.0 - 2.0, 0.0, 1.0 );
	}
	vec4 getTransmissionSample( const in vec2 fragCoord, const in float roughness, const in float ior ) {
		float lod = log2( transmissionSamplerSize.x ) * applyIorToRoughness( roughness, ior );
		return textureBicubic( transmissionSamplerMap, fragCoord.xy, lod );
	}
	vec3 volumeAttenuation( const in float transmissionDistance, const in vec3 attenuationColor, const in float attenuationDistance ) {
		if ( isinf( attenuationDistance ) ) {
			return vec3( 1.0 );
		} else {
			vec3 attenuationCoefficient = -log( attenuationColor ) / attenuationDistance;
			vec3 transmittance = exp( - attenuationCoefficient * transmissionDistance );			return transmittance;
		}
	}
	vec4 getIBLVolumeRefraction( const in vec3 n, const in vec3 v, const in float roughness, const in vec3 diffuseColor,
		const in vec3 specularColor, const in float specularF90, const in vec3 position, const in mat4 modelMatrix,
		const in mat4 viewMatrix, const in mat4 projMatrix, const in float dispersion, const in float ior, const in float thickness,
		const in vec3 attenuationColor, const in float attenuationDistance ) {
		vec4 transmittedLight;
		vec3 transmittance;
		#ifdef USE_DISPERSION
			float halfSpread = ( ior - 1.0 ) * 0.025 * dispersion;
			vec3 iors = vec3( ior - halfSpread, ior, ior + halfSpread );
			for ( int i = 0; i < 3; i ++ ) {
				vec3 transmissionRay = getVolumeTransmissionRay( n, v, thickness, iors[ i ], modelMatrix );
				vec3 refractedRayExit = position + transmissionRay;
				vec4 ndcPos = projMatrix * viewMatrix * vec4( refractedRayExit, 1.0 );
				vec2 refractionCoords = ndcPos.xy / ndcPos.w;
				refractionCoords += 1.0;
				refractionCoords /= 2.0;
				vec4 transmissionSample = getTransmissionSample( refractionCoords, roughness, iors[ i ] );
				transmittedLight[ i ] = transmissionSample[ i ];
				transmittedLight.a += transmissionSample.a;
				transmittance[ i ] = diffuseColor[ i ] * volumeAttenuation( length( transmissionRay ), attenuationColor, attenuationDistance )[ i ];
			}
			transmittedLight.a /= 3.0;
		#else
			vec3 transmissionRay = getVolumeTransmissionRay( n, v, thickness, ior, modelMatrix );
			vec3 refractedRayExit = position + transmissionRay;
			vec4 ndcPos = projMatrix * viewMatrix * vec4( refractedRayExit, 1.0 );
			vec2 refractionCoords = ndcPos.xy / ndcPos.w;
			refractionCoords += 1.0;
			refractionCoords /= 2.0;
			transmittedLight = getTransmissionSample( refractionCoords, roughness, ior );
			transmittance = diffuseColor * volumeAttenuation( length( transmissionRay ), attenuationColor, attenuationDistance );
		#endif
		vec3 attenuatedColor = transmittance * transmittedLight.rgb;
		vec3 F = EnvironmentBRDF( n, v, specularColor, specularF90, roughness );
		float transmittanceFactor = ( transmittance.r + transmittance.g + transmittance.b ) / 3.0;
		return vec4( ( 1.0 - F ) * attenuatedColor, 1.0 - ( 1.0 - transmittedLight.a ) * transmittanceFactor );
	}
#endif`,yM=`#if defined( USE_UV ) || defined( USE_ANISOTROPY )
	varying vec2 vUv;
#endif
#ifdef USE_MAP
	varying vec2 vMapUv;
#endif
#ifdef USE_ALPHAMAP
	varying vec2 vAlphaMapUv;
#endif
#ifdef USE_LIGHTMAP
	varying vec2 vLightMapUv;
#endif
#ifdef USE_AOMAP
	varying vec2 vAoMapUv;
#endif
#ifdef USE_BUMPMAP
	varying vec2 vBumpMapUv;
#endif
#ifdef USE_NORMALMAP
	varying vec2 vNormalMapUv;
#endif
#ifdef USE_EMISSIVEMAP
	varying vec2 vEmissiveMapUv;
#endif
#ifdef USE_METALNESSMAP
	varying vec2 vMetalnessMapUv;
#endif
#ifdef USE_ROUGHNESSMAP
	varying vec2 vRoughnessMapUv;
#endif
#ifdef USE_DIFFUSE_ROUGHNESSMAP
	varying vec2 vDiffuseRoughnessMapUv;
#endif
#ifdef USE_ANISOTROPYMAP
	varying vec2 vAnisotropyMapUv;
#endif
#ifdef USE_CLEARCOATMAP
	varying vec2 vClearcoatMapUv;
#endif
#ifdef USE_CLEARCOAT_NORMALMAP
	varying vec2 vClearcoatNormalMapUv;
#endif
#ifdef USE_CLEARCOAT_ROUGHNESSMAP
	varying vec2 vClearcoatRoughnessMapUv;
#endif
#ifdef USE_IRIDESCENCEMAP
	varying vec2 vIridescenceMapUv;
#endif
#ifdef USE_IRIDESCENCE_THICKNESSMAP
	varying vec2 vIridescenceThicknessMapUv;
#endif
#ifdef USE_SHEEN_COLORMAP
	varying vec2 vSheenColorMapUv;
#endif
#ifdef USE_SHEEN_ROUGHNESSMAP
	varying vec2 vSheenRoughnessMapUv;
#endif
#ifdef USE_SPECULARMAP
	varying vec2 vSpecularMapUv;
#endif
#ifdef USE_SPECULAR_COLORMAP
	varying vec2 vSpecularColorMapUv;
#endif
#ifdef USE_SPECULAR_INTENSITYMAP
	varying vec2 vSpecularIntensityMapUv;
#endif
#ifdef USE_TRANSMISSIONMAP
	uniform mat3 transmissionMapTransform;
	varying vec2 vTransmissionMapUv;
#endif
#ifdef USE_THICKNESSMAP
	uniform mat3 thicknessMapTransform;
	varying vec2 vThicknessMapUv;
#endif`,vM=`#if defined( USE_UV ) || defined( USE_ANISOTROPY )
	varying vec2 vUv;
#endif
#ifdef USE_MAP
	uniform mat3 mapTransform;
	varying vec2 vMapUv;
#endif
#ifdef USE_ALPHAMAP
	uniform mat3 alphaMapTransform;
	varying vec2 vAlphaMapUv;
#endif
#ifdef USE_LIGHTMAP
	uniform mat3 lightMapTransform;
	varying vec2 vLightMapUv;
#endif
#ifdef USE_AOMAP
	uniform mat3 aoMapTransform;
	varying vec2 vAoMapUv;
#endif
#ifdef USE_BUMPMAP
	uniform mat3 bumpMapTransform;
	varying vec2 vBumpMapUv;
#endif
#ifdef USE_NORMALMAP
	uniform mat3 normalMapTransform;
	varying vec2 vNormalMapUv;
#endif
#ifdef USE_DISPLACEMENTMAP
	uniform mat3 displacementMapTransform;
	varying vec2 vDisplacementMapUv;
#endif
#ifdef USE_EMISSIVEMAP
	uniform mat3 emissiveMapTransform;
	varying vec2 vEmissiveMapUv;
#endif
#ifdef USE_METALNESSMAP
	uniform mat3 metalnessMapTransform;
	varying vec2 vMetalnessMapUv;
#endif
#ifdef USE_ROUGHNESSMAP
	uniform mat3 roughnessMapTransform;
	varying vec2 vRoughnessMapUv;
#endif
#ifdef USE_DIFFUSE_ROUGHNESSMAP
	uniform mat3 diffuseRoughnessMapTransform;
	varying vec2 vDiffuseRoughnessMapUv;
#endif
#ifdef USE_ANISOTROPYMAP
	uniform mat3 anisotropyMapTransform;
	varying vec2 vAnisotropyMapUv;
#endif
#ifdef USE_CLEARCOATMAP
	uniform mat3 clearcoatMapTransform;
	varying vec2 vClearcoatMapUv;
#endif
#ifdef USE_CLEARCOAT_NORMALMAP
	uniform mat3 clearcoatNormalMapTransform;
	varying vec2 vClearcoatNormalMapUv;
#endif
#ifdef USE_CLEARCOAT_ROUGHNESSMAP
	uniform mat3 clearcoatRoughnessMapTransform;
	varying vec2 vClearcoatRoughnessMapUv;
#endif
#ifdef USE_SHEEN_COLORMAP
	uniform mat3 sheenColorMapTransform;
	varying vec2 vSheenColorMapUv;
#endif
#ifdef USE_SHEEN_ROUGHNESSMAP
	uniform mat3 sheenRoughnessMapTransform;
	varying vec2 vSheenRoughnessMapUv;
#endif
#ifdef USE_IRIDESCENCEMAP
	uniform mat3 iridescenceMapTransform;
	varying vec2 vIridescenceMapUv;
#endif
#ifdef USE_IRIDESCENCE_THICKNESSMAP
	uniform mat3 iridescenceThicknessMapTransform;
	varying vec2 vIridescenceThicknessMapUv;
#endif
#ifdef USE_SPECULARMAP
	uniform mat3 specularMapTransform;
	varying vec2 vSpecularMapUv;
#endif
#ifdef USE_SPECULAR_COLORMAP
	uniform mat3 specularColorMapTransform;
	varying vec2 vSpecularColorMapUv;
#endif
#ifdef USE_SPECULAR_INTENSITYMAP
	uniform mat3 specularIntensityMapTransform;
	varying vec2 vSpecularIntensityMapUv;
#endif
#ifdef USE_TRANSMISSIONMAP
	uniform mat3 transmissionMapTransform;
	varying vec2 vTransmissionMapUv;
#endif
#ifdef USE_THICKNESSMAP
	uniform mat3 thicknessMapTransform;
	varying vec2 vThicknessMapUv;
#endif`,MM=`#if defined( USE_UV ) || defined( USE_ANISOTROPY )
	vUv = vec3( uv, 1 ).xy;
#endif
#ifdef USE_MAP
	vMapUv = ( mapTransform * vec3( MAP_UV, 1 ) ).xy;
#endif
#ifdef USE_ALPHAMAP
	vAlphaMapUv = ( alphaMapTransform * vec3( ALPHAMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_LIGHTMAP
	vLightMapUv = ( lightMapTransform * vec3( LIGHTMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_AOMAP
	vAoMapUv = ( aoMapTransform * vec3( AOMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_BUMPMAP
	vBumpMapUv = ( bumpMapTransform * vec3( BUMPMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_NORMALMAP
	vNormalMapUv = ( normalMapTransform * vec3( NORMALMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_DISPLACEMENTMAP
	vDisplacementMapUv = ( displacementMapTransform * vec3( DISPLACEMENTMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_EMISSIVEMAP
	vEmissiveMapUv = ( emissiveMapTransform * vec3( EMISSIVEMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_METALNESSMAP
	vMetalnessMapUv = ( metalnessMapTransform * vec3( METALNESSMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_ROUGHNESSMAP
	vRoughnessMapUv = ( roughnessMapTransform * vec3( ROUGHNESSMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_DIFFUSE_ROUGHNESSMAP
	vDiffuseRoughnessMapUv = ( diffuseRoughnessMapTransform * vec3( DIFFUSE_ROUGHNESSMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_ANISOTROPYMAP
	vAnisotropyMapUv = ( anisotropyMapTransform * vec3( ANISOTROPYMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_CLEARCOATMAP
	vClearcoatMapUv = ( clearcoatMapTransform * vec3( CLEARCOATMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_CLEARCOAT_NORMALMAP
	vClearcoatNormalMapUv = ( clearcoatNormalMapTransform * vec3( CLEARCOAT_NORMALMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_CLEARCOAT_ROUGHNESSMAP
	vClearcoatRoughnessMapUv = ( clearcoatRoughnessMapTransform * vec3( CLEARCOAT_ROUGHNESSMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_IRIDESCENCEMAP
	vIridescenceMapUv = ( iridescenceMapTransform * vec3( IRIDESCENCEMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_IRIDESCENCE_THICKNESSMAP
	vIridescenceThicknessMapUv = ( iridescenceThicknessMapTransform * vec3( IRIDESCENCE_THICKNESSMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_SHEEN_COLORMAP
	vSheenColorMapUv = ( sheenColorMapTransform * vec3( SHEEN_COLORMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_SHEEN_ROUGHNESSMAP
	vSheenRoughnessMapUv = ( sheenRoughnessMapTransform * vec3( SHEEN_ROUGHNESSMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_SPECULARMAP
	vSpecularMapUv = ( specularMapTransform * vec3( SPECULARMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_SPECULAR_COLORMAP
	vSpecularColorMapUv = ( specularColorMapTransform * vec3( SPECULAR_COLORMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_SPECULAR_INTENSITYMAP
	vSpecularIntensityMapUv = ( specularIntensityMapTransform * vec3( SPECULAR_INTENSITYMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_TRANSMISSIONMAP
	vTransmissionMapUv = ( transmissionMapTransform * vec3( TRANSMISSIONMAP_UV, 1 ) ).xy;
#endif
#ifdef USE_THICKNESSMAP
	vThicknessMapUv = ( thicknessMapTransform * vec3( THICKNESSMAP_UV, 1 ) ).xy;
#endif`,SM=`#if defined( USE_ENVMAP ) || defined( DISTANCE ) || defined ( USE_SHADOWMAP ) || defined ( USE_TRANSMISSION ) || NUM_SPOT_LIGHT_COORDS > 0
	vec4 worldPosition = vec4( transformed, 1.0 );
	#ifdef USE_BATCHING
		worldPosition = batchingMatrix * worldPosition;
	#endif
	#ifdef USE_INSTANCING
		worldPosition = instanceMatrix * worldPosition;
	#endif
	worldPosition = modelMatrix * worldPosition;
#endif`,bM=`varying vec2 vUv;
uniform mat3 uvTransform;
void main() {
	vUv = ( uvTransform * vec3( uv, 1 ) ).xy;
	gl_Position = vec4( position.xy, 1.0, 1.0 );
}`,wM=`uniform sampler2D t2D;
uniform float backgroundIntensity;
varying vec2 vUv;
void main() {
	vec4 texColor = texture2D( t2D, vUv );
	#ifdef DECODE_VIDEO_TEXTURE
		texColor = vec4( mix( pow( texColor.rgb * 0.9478672986 + vec3( 0.0521327014 ), vec3( 2.4 ) ), texColor.rgb * 0.0773993808, vec3( lessThanEqual( texColor.rgb, vec3( 0.04045 ) ) ) ), texColor.w );
	#endif
	texColor.rgb *= backgroundIntensity;
	gl_FragColor = texColor;
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
}`,AM=`varying vec3 vWorldDirection;
#include <common>
void main() {
	vWorldDirection = transformDirection( position, modelMatrix );
	#include <begin_vertex>
	#include <project_vertex>
	gl_Position.z = gl_Position.w;
}`,TM=`uniform float backgroundBlurriness;
uniform float backgroundIntensity;
uniform mat3 backgroundRotation;
varying vec3 vWorldDirection;
#include <envmap_common_pars_fragment>
void main() {
	#ifdef ENVMAP_TYPE_PMREM
		vec4 texColor = textureLod( envMap, backgroundRotation * vWorldDirection, roughnessToMip( backgroundBlurriness ) );
	#else
		vec4 texColor = textureCube( envMap, backgroundRotation * vWorldDirection );
	#endif
	texColor.rgb *= backgroundIntensity;
	gl_FragColor = texColor;
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
}`,EM=`varying vec3 vWorldDirection;
#include <common>
void main() {
	vWorldDirection = transformDirection( position, modelMatrix );
	#include <begin_vertex>
	#include <project_vertex>
	gl_Position.z = gl_Position.w;
}`,RM=`uniform samplerCube tCube;
uniform float tFlip;
uniform float opacity;
varying vec3 vWorldDirection;
void main() {
	vec4 texColor = textureCube( tCube, vec3( tFlip * vWorldDirection.x, vWorldDirection.yz ) );
	gl_FragColor = texColor;
	gl_FragColor.a *= opacity;
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
}`,CM=`#include <common>
#include <batching_pars_vertex>
#include <uv_pars_vertex>
#include <displacementmap_pars_vertex>
#include <morphtarget_pars_vertex>
#include <skinning_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
varying vec2 vHighPrecisionZW;
void main() {
	#include <uv_vertex>
	#include <batching_vertex>
	#include <skinbase_vertex>
	#include <morphinstance_vertex>
	#ifdef USE_DISPLACEMENTMAP
		#include <beginnormal_vertex>
		#include <morphnormal_vertex>
		#include <skinnormal_vertex>
	#endif
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <skinning_vertex>
	#include <displacementmap_vertex>
	#include <project_vertex>
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
	vHighPrecisionZW = gl_Position.zw;
}`,IM=`#if DEPTH_PACKING == 3200
	uniform float opacity;
#endif
#include <common>
#include <packing>
#include <uv_pars_fragment>
#include <map_pars_fragment>
#include <alphamap_pars_fragment>
#include <alphatest_pars_fragment>
#include <alphahash_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
varying vec2 vHighPrecisionZW;
void main() {
	vec4 diffuseColor = vec4( 1.0 );
	#include <clipping_planes_fragment>
	#if DEPTH_PACKING == 3200
		diffuseColor.a = opacity;
	#endif
	#include <map_fragment>
	#include <alphamap_fragment>
	#include <alphatest_fragment>
	#include <alphahash_fragment>
	#include <logdepthbuf_fragment>
	#ifdef USE_REVERSED_DEPTH_BUFFER
		float fragCoordZ = vHighPrecisionZW[ 0 ] / vHighPrecisionZW[ 1 ];
	#else
		float fragCoordZ = 0.5 * vHighPrecisionZW[ 0 ] / vHighPrecisionZW[ 1 ] + 0.5;
	#endif
	#if DEPTH_PACKING == 3200
		gl_FragColor = vec4( vec3( 1.0 - fragCoordZ ), opacity );
	#elif DEPTH_PACKING == 3201
		gl_FragColor = packDepthToRGBA( fragCoordZ );
	#elif DEPTH_PACKING == 3202
		gl_FragColor = vec4( packDepthToRGB( fragCoordZ ), 1.0 );
	#elif DEPTH_PACKING == 3203
		gl_FragColor = vec4( packDepthToRG( fragCoordZ ), 0.0, 1.0 );
	#endif
}`,PM=`#define DISTANCE
varying vec3 vWorldPosition;
#include <common>
#include <batching_pars_vertex>
#include <uv_pars_vertex>
#include <displacementmap_pars_vertex>
#include <morphtarget_pars_vertex>
#include <skinning_pars_vertex>
#include <clipping_planes_pars_vertex>
void main() {
	#include <uv_vertex>
	#include <batching_vertex>
	#include <skinbase_vertex>
	#include <morphinstance_vertex>
	#ifdef USE_DISPLACEMENTMAP
		#include <beginnormal_vertex>
		#include <morphnormal_vertex>
		#include <skinnormal_vertex>
	#endif
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <skinning_vertex>
	#include <displacementmap_vertex>
	#include <project_vertex>
	#include <worldpos_vertex>
	#include <clipping_planes_vertex>
	vWorldPosition = worldPosition.xyz;
}`,LM=`#define DISTANCE
uniform vec3 referencePosition;
uniform float nearDistance;
uniform float farDistance;
varying vec3 vWorldPosition;
#include <common>
#include <uv_pars_fragment>
#include <map_pars_fragment>
#include <alphamap_pars_fragment>
#include <alphatest_pars_fragment>
#include <alphahash_pars_fragment>
#include <clipping_planes_pars_fragment>
void main() {
	vec4 diffuseColor = vec4( 1.0 );
	#include <clipping_planes_fragment>
	#include <map_fragment>
	#include <alphamap_fragment>
	#include <alphatest_fragment>
	#include <alphahash_fragment>
	float dist = length( vWorldPosition - referencePosition );
	dist = ( dist - nearDistance ) / ( farDistance - nearDistance );
	dist = saturate( dist );
	gl_FragColor = vec4( dist, 0.0, 0.0, 1.0 );
}`,NM=`varying vec3 vWorldDirection;
#include <common>
void main() {
	vWorldDirection = transformDirection( position, modelMatrix );
	#include <begin_vertex>
	#include <project_vertex>
}`,DM=`uniform sampler2D tEquirect;
varying vec3 vWorldDirection;
#include <common>
void main() {
	vec3 direction = normalize( vWorldDirection );
	vec2 sampleUV = equirectUv( direction );
	gl_FragColor = texture2D( tEquirect, sampleUV );
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
}`,UM=`uniform float scale;
attribute float lineDistance;
varying float vLineDistance;
#include <common>
#include <uv_pars_vertex>
#include <color_pars_vertex>
#include <fog_pars_vertex>
#include <morphtarget_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
void main() {
	vLineDistance = scale * lineDistance;
	#include <uv_vertex>
	#include <color_vertex>
	#include <morphinstance_vertex>
	#include <morphcolor_vertex>
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <project_vertex>
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
	#include <fog_vertex>
}`,FM=`uniform vec3 diffuse;
uniform float opacity;
uniform float dashSize;
uniform float totalSize;
varying float vLineDistance;
#include <common>
#include <color_pars_fragment>
#include <uv_pars_fragment>
#include <map_pars_fragment>
#include <fog_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
void main() {
	vec4 diffuseColor = vec4( diffuse, opacity );
	#include <clipping_planes_fragment>
	if ( mod( vLineDistance, totalSize ) > dashSize ) {
		discard;
	}
	vec3 outgoingLight = vec3( 0.0 );
	#include <logdepthbuf_fragment>
	#include <map_fragment>
	#include <color_fragment>
	outgoingLight = diffuseColor.rgb;
	#include <opaque_fragment>
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
	#include <fog_fragment>
	#include <premultiplied_alpha_fragment>
}`,OM=`#include <common>
#include <batching_pars_vertex>
#include <uv_pars_vertex>
#include <envmap_pars_vertex>
#include <color_pars_vertex>
#include <fog_pars_vertex>
#include <morphtarget_pars_vertex>
#include <skinning_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
void main() {
	#include <uv_vertex>
	#include <color_vertex>
	#include <morphinstance_vertex>
	#include <morphcolor_vertex>
	#include <batching_vertex>
	#if defined ( USE_ENVMAP ) || defined ( USE_SKINNING )
		#include <beginnormal_vertex>
		#include <morphnormal_vertex>
		#include <skinbase_vertex>
		#include <skinnormal_vertex>
		#include <defaultnormal_vertex>
	#endif
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <skinning_vertex>
	#include <project_vertex>
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
	#include <worldpos_vertex>
	#include <envmap_vertex>
	#include <fog_vertex>
}`,BM=`uniform vec3 diffuse;
uniform float opacity;
#ifndef FLAT_SHADED
	varying vec3 vNormal;
#endif
#include <common>
#include <dithering_pars_fragment>
#include <color_pars_fragment>
#include <uv_pars_fragment>
#include <map_pars_fragment>
#include <alphamap_pars_fragment>
#include <alphatest_pars_fragment>
#include <alphahash_pars_fragment>
#include <aomap_pars_fragment>
#include <lightmap_pars_fragment>
#include <envmap_common_pars_fragment>
#include <envmap_pars_fragment>
#include <fog_pars_fragment>
#include <specularmap_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
void main() {
	vec4 diffuseColor = vec4( diffuse, opacity );
	#include <clipping_planes_fragment>
	#include <logdepthbuf_fragment>
	#include <map_fragment>
	#include <color_fragment>
	#include <alphamap_fragment>
	#include <alphatest_fragment>
	#include <alphahash_fragment>
	#include <specularmap_fragment>
	ReflectedLight reflectedLight = ReflectedLight( vec3( 0.0 ), vec3( 0.0 ), vec3( 0.0 ), vec3( 0.0 ) );
	#ifdef USE_LIGHTMAP
		vec4 lightMapTexel = texture2D( lightMap, vLightMapUv );
		reflectedLight.indirectDiffuse += lightMapTexel.rgb * lightMapIntensity * RECIPROCAL_PI;
	#else
		reflectedLight.indirectDiffuse += vec3( 1.0 );
	#endif
	#include <aomap_fragment>
	reflectedLight.indirectDiffuse *= diffuseColor.rgb;
	vec3 outgoingLight = reflectedLight.indirectDiffuse;
	#include <envmap_fragment>
	#include <opaque_fragment>
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
	#include <fog_fragment>
	#include <premultiplied_alpha_fragment>
	#include <dithering_fragment>
}`,zM=`#define LAMBERT
varying vec3 vViewPosition;
#include <common>
#include <batching_pars_vertex>
#include <uv_pars_vertex>
#include <displacementmap_pars_vertex>
#include <envmap_pars_vertex>
#include <color_pars_vertex>
#include <fog_pars_vertex>
#include <normal_pars_vertex>
#include <morphtarget_pars_vertex>
#include <skinning_pars_vertex>
#include <shadowmap_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
void main() {
	#include <uv_vertex>
	#include <color_vertex>
	#include <morphinstance_vertex>
	#include <morphcolor_vertex>
	#include <batching_vertex>
	#include <beginnormal_vertex>
	#include <morphnormal_vertex>
	#include <skinbase_vertex>
	#include <skinnormal_vertex>
	#include <defaultnormal_vertex>
	#include <normal_vertex>
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <skinning_vertex>
	#include <displacementmap_vertex>
	#include <project_vertex>
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
	vViewPosition = - mvPosition.xyz;
	#include <worldpos_vertex>
	#include <envmap_vertex>
	#include <shadowmap_vertex>
	#include <fog_vertex>
}`,kM=`#define LAMBERT
uniform vec3 diffuse;
uniform vec3 emissive;
uniform float opacity;
#include <common>
#include <dithering_pars_fragment>
#include <color_pars_fragment>
#include <uv_pars_fragment>
#include <map_pars_fragment>
#include <alphamap_pars_fragment>
#include <alphatest_pars_fragment>
#include <alphahash_pars_fragment>
#include <aomap_pars_fragment>
#include <lightmap_pars_fragment>
#include <emissivemap_pars_fragment>
#include <envmap_common_pars_fragment>
#include <envmap_pars_fragment>
#include <envmap_physical_pars_fragment>
#include <fog_pars_fragment>
#include <bsdfs>
#include <lights_pars_begin>
#include <normal_pars_fragment>
#include <lights_lambert_pars_fragment>
#include <shadowmap_pars_fragment>
#include <bumpmap_pars_fragment>
#include <normalmap_pars_fragment>
#include <specularmap_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
void main() {
	vec4 diffuseColor = vec4( diffuse, opacity );
	#include <clipping_planes_fragment>
	ReflectedLight reflectedLight = ReflectedLight( vec3( 0.0 ), vec3( 0.0 ), vec3( 0.0 ), vec3( 0.0 ) );
	vec3 totalEmissiveRadiance = emissive;
	#include <logdepthbuf_fragment>
	#include <map_fragment>
	#include <color_fragment>
	#include <alphamap_fragment>
	#include <alphatest_fragment>
	#include <alphahash_fragment>
	#include <specularmap_fragment>
	#include <normal_fragment_begin>
	#include <normal_fragment_maps>
	#include <emissivemap_fragment>
	#include <lights_lambert_fragment>
	#include <lights_fragment_begin>
	#include <lights_fragment_maps>
	#include <lights_fragment_end>
	#include <aomap_fragment>
	vec3 outgoingLight = reflectedLight.directDiffuse + reflectedLight.indirectDiffuse + totalEmissiveRadiance;
	#include <envmap_fragment>
	#include <opaque_fragment>
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
	#include <fog_fragment>
	#include <premultiplied_alpha_fragment>
	#include <dithering_fragment>
}`,GM=`#define MATCAP
varying vec3 vViewPosition;
#include <common>
#include <batching_pars_vertex>
#include <uv_pars_vertex>
#include <color_pars_vertex>
#include <displacementmap_pars_vertex>
#include <fog_pars_vertex>
#include <normal_pars_vertex>
#include <morphtarget_pars_vertex>
#include <skinning_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
void main() {
	#include <uv_vertex>
	#include <color_vertex>
	#include <morphinstance_vertex>
	#include <morphcolor_vertex>
	#include <batching_vertex>
	#include <beginnormal_vertex>
	#include <morphnormal_vertex>
	#include <skinbase_vertex>
	#include <skinnormal_vertex>
	#include <defaultnormal_vertex>
	#include <normal_vertex>
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <skinning_vertex>
	#include <displacementmap_vertex>
	#include <project_vertex>
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
	#include <fog_vertex>
	vViewPosition = - mvPosition.xyz;
}`,VM=`#define MATCAP
uniform vec3 diffuse;
uniform float opacity;
uniform sampler2D matcap;
varying vec3 vViewPosition;
#include <common>
#include <dithering_pars_fragment>
#include <color_pars_fragment>
#include <uv_pars_fragment>
#include <map_pars_fragment>
#include <alphamap_pars_fragment>
#include <alphatest_pars_fragment>
#include <alphahash_pars_fragment>
#include <fog_pars_fragment>
#include <normal_pars_fragment>
#include <bumpmap_pars_fragment>
#include <normalmap_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
void main() {
	vec4 diffuseColor = vec4( diffuse, opacity );
	#include <clipping_planes_fragment>
	#include <logdepthbuf_fragment>
	#include <map_fragment>
	#include <color_fragment>
	#include <alphamap_fragment>
	#include <alphatest_fragment>
	#include <alphahash_fragment>
	#include <normal_fragment_begin>
	#include <normal_fragment_maps>
	vec3 viewDir = normalize( vViewPosition );
	vec3 x = normalize( vec3( viewDir.z, 0.0, - viewDir.x ) );
	vec3 y = cross( viewDir, x );
	vec2 uv = vec2( dot( x, normal ), dot( y, normal ) ) * 0.495 + 0.5;
	#ifdef USE_MATCAP
		vec4 matcapColor = texture2D( matcap, uv );
	#else
		vec4 matcapColor = vec4( vec3( mix( 0.2, 0.8, uv.y ) ), 1.0 );
	#endif
	vec3 outgoingLight = diffuseColor.rgb * matcapColor.rgb;
	#include <opaque_fragment>
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
	#include <fog_fragment>
	#include <premultiplied_alpha_fragment>
	#include <dithering_fragment>
}`,HM=`#define NORMAL
#if defined( FLAT_SHADED ) || defined( USE_BUMPMAP ) || defined( USE_NORMALMAP_TANGENTSPACE )
	varying vec3 vViewPosition;
#endif
#include <common>
#include <batching_pars_vertex>
#include <uv_pars_vertex>
#include <displacementmap_pars_vertex>
#include <normal_pars_vertex>
#include <morphtarget_pars_vertex>
#include <skinning_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
void main() {
	#include <uv_vertex>
	#include <batching_vertex>
	#include <beginnormal_vertex>
	#include <morphinstance_vertex>
	#include <morphnormal_vertex>
	#include <skinbase_vertex>
	#include <skinnormal_vertex>
	#include <defaultnormal_vertex>
	#include <normal_vertex>
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <skinning_vertex>
	#include <displacementmap_vertex>
	#include <project_vertex>
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
#if defined( FLAT_SHADED ) || defined( USE_BUMPMAP ) || defined( USE_NORMALMAP_TANGENTSPACE )
	vViewPosition = - mvPosition.xyz;
#endif
}`,WM=`#define NORMAL
uniform float opacity;
#if defined( FLAT_SHADED ) || defined( USE_BUMPMAP ) || defined( USE_NORMALMAP_TANGENTSPACE )
	varying vec3 vViewPosition;
#endif
#include <uv_pars_fragment>
#include <normal_pars_fragment>
#include <bumpmap_pars_fragment>
#include <normalmap_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
void main() {
	vec4 diffuseColor = vec4( 0.0, 0.0, 0.0, opacity );
	#include <clipping_planes_fragment>
	#include <logdepthbuf_fragment>
	#include <normal_fragment_begin>
	#include <normal_fragment_maps>
	gl_FragColor = vec4( normalize( normal ) * 0.5 + 0.5, diffuseColor.a );
	#ifdef OPAQUE
		gl_FragColor.a = 1.0;
	#endif
}`,XM=`#define PHONG
varying vec3 vViewPosition;
#include <common>
#include <batching_pars_vertex>
#include <uv_pars_vertex>
#include <displacementmap_pars_vertex>
#include <envmap_pars_vertex>
#include <color_pars_vertex>
#include <fog_pars_vertex>
#include <normal_pars_vertex>
#include <morphtarget_pars_vertex>
#include <skinning_pars_vertex>
#include <shadowmap_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
void main() {
	#include <uv_vertex>
	#include <color_vertex>
	#include <morphcolor_vertex>
	#include <batching_vertex>
	#include <beginnormal_vertex>
	#include <morphinstance_vertex>
	#include <morphnormal_vertex>
	#include <skinbase_vertex>
	#include <skinnormal_vertex>
	#include <defaultnormal_vertex>
	#include <normal_vertex>
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <skinning_vertex>
	#include <displacementmap_vertex>
	#include <project_vertex>
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
	vViewPosition = - mvPosition.xyz;
	#include <worldpos_vertex>
	#include <envmap_vertex>
	#include <shadowmap_vertex>
	#include <fog_vertex>
}`,qM=`#define PHONG
uniform vec3 diffuse;
uniform vec3 emissive;
uniform vec3 specular;
uniform float shininess;
uniform float opacity;
#include <common>
#include <dithering_pars_fragment>
#include <color_pars_fragment>
#include <uv_pars_fragment>
#include <map_pars_fragment>
#include <alphamap_pars_fragment>
#include <alphatest_pars_fragment>
#include <alphahash_pars_fragment>
#include <aomap_pars_fragment>
#include <lightmap_pars_fragment>
#include <emissivemap_pars_fragment>
#include <envmap_common_pars_fragment>
#include <envmap_pars_fragment>
#include <envmap_physical_pars_fragment>
#include <fog_pars_fragment>
#include <bsdfs>
#include <lights_pars_begin>
#include <normal_pars_fragment>
#include <lights_phong_pars_fragment>
#include <shadowmap_pars_fragment>
#include <bumpmap_pars_fragment>
#include <normalmap_pars_fragment>
#include <specularmap_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
void main() {
	vec4 diffuseColor = vec4( diffuse, opacity );
	#include <clipping_planes_fragment>
	ReflectedLight reflectedLight = ReflectedLight( vec3( 0.0 ), vec3( 0.0 ), vec3( 0.0 ), vec3( 0.0 ) );
	vec3 totalEmissiveRadiance = emissive;
	#include <logdepthbuf_fragment>
	#include <map_fragment>
	#include <color_fragment>
	#include <alphamap_fragment>
	#include <alphatest_fragment>
	#include <alphahash_fragment>
	#include <specularmap_fragment>
	#include <normal_fragment_begin>
	#include <normal_fragment_maps>
	#include <emissivemap_fragment>
	#include <lights_phong_fragment>
	#include <lights_fragment_begin>
	#include <lights_fragment_maps>
	#include <lights_fragment_end>
	#include <aomap_fragment>
	vec3 outgoingLight = reflectedLight.directDiffuse + reflectedLight.indirectDiffuse + reflectedLight.directSpecular + reflectedLight.indirectSpecular + totalEmissiveRadiance;
	#include <envmap_fragment>
	#include <opaque_fragment>
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
	#include <fog_fragment>
	#include <premultiplied_alpha_fragment>
	#include <dithering_fragment>
}`,YM=`#define STANDARD
varying vec3 vViewPosition;
#ifdef USE_TRANSMISSION
	varying vec3 vWorldPosition;
#endif
#include <common>
#include <batching_pars_vertex>
#include <uv_pars_vertex>
#include <displacementmap_pars_vertex>
#include <color_pars_vertex>
#include <fog_pars_vertex>
#include <normal_pars_vertex>
#include <morphtarget_pars_vertex>
#include <skinning_pars_vertex>
#include <shadowmap_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
void main() {
	#include <uv_vertex>
	#include <color_vertex>
	#include <morphinstance_vertex>
	#include <morphcolor_vertex>
	#include <batching_vertex>
	#include <beginnormal_vertex>
	#include <morphnormal_vertex>
	#include <skinbase_vertex>
	#include <skinnormal_vertex>
	#include <defaultnormal_vertex>
	#include <normal_vertex>
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <skinning_vertex>
	#include <displacementmap_vertex>
	#include <project_vertex>
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
	vViewPosition = - mvPosition.xyz;
	#include <worldpos_vertex>
	#include <shadowmap_vertex>
	#include <fog_vertex>
#ifdef USE_TRANSMISSION
	vWorldPosition = worldPosition.xyz;
#endif
}`,$M=`#define STANDARD
#ifdef PHYSICAL
	#define IOR
	#define USE_SPECULAR
#endif
uniform vec3 diffuse;
uniform vec3 emissive;
uniform float roughness;
uniform float metalness;
uniform float opacity;
#ifdef IOR
	uniform float ior;
#endif
#ifdef USE_SPECULAR
	uniform float specularIntensity;
	uniform vec3 specularColor;
	#ifdef USE_SPECULAR_COLORMAP
		uniform sampler2D specularColorMap;
	#endif
	#ifdef USE_SPECULAR_INTENSITYMAP
		uniform sampler2D specularIntensityMap;
	#endif
#endif
#ifdef USE_CLEARCOAT
	uniform float clearcoat;
	uniform float clearcoatRoughness;
#endif
#ifdef USE_DIFFUSE_ROUGHNESS
	uniform float diffuseRoughness;
	#ifdef USE_DIFFUSE_ROUGHNESSMAP
		uniform sampler2D diffuseRoughnessMap;
	#endif
#endif
#ifdef USE_DISPERSION
	uniform float dispersion;
#endif
#ifdef USE_RETROREFLECTION
	uniform float retroreflectivity;
#endif
#ifdef USE_IRIDESCENCE
	uniform float iridescence;
	uniform float iridescenceIOR;
	uniform float iridescenceThicknessMinimum;
	uniform float iridescenceThicknessMaximum;
#endif
#ifdef USE_SHEEN
	uniform vec3 sheenColor;
	uniform float sheenRoughness;
	#ifdef USE_SHEEN_COLORMAP
		uniform sampler2D sheenColorMap;
	#endif
	#ifdef USE_SHEEN_ROUGHNESSMAP
		uniform sampler2D sheenRoughnessMap;
	#endif
#endif
#ifdef USE_ANISOTROPY
	uniform vec2 anisotropyVector;
	#ifdef USE_ANISOTROPYMAP
		uniform sampler2D anisotropyMap;
	#endif
#endif
varying vec3 vViewPosition;
#include <common>
#include <dithering_pars_fragment>
#include <color_pars_fragment>
#include <uv_pars_fragment>
#include <map_pars_fragment>
#include <alphamap_pars_fragment>
#include <alphatest_pars_fragment>
#include <alphahash_pars_fragment>
#include <aomap_pars_fragment>
#include <lightmap_pars_fragment>
#include <emissivemap_pars_fragment>
#include <iridescence_fragment>
#include <envmap_common_pars_fragment>
#include <envmap_physical_pars_fragment>
#include <fog_pars_fragment>
#include <lights_pars_begin>
#include <normal_pars_fragment>
#include <lights_physical_pars_fragment>
#include <transmission_pars_fragment>
#include <shadowmap_pars_fragment>
#include <bumpmap_pars_fragment>
#include <normalmap_pars_fragment>
#include <clearcoat_pars_fragment>
#include <iridescence_pars_fragment>
#include <roughnessmap_pars_fragment>
#include <metalnessmap_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
void main() {
	vec4 diffuseColor = vec4( diffuse, opacity );
	#include <clipping_planes_fragment>
	ReflectedLight reflectedLight = ReflectedLight( vec3( 0.0 ), vec3( 0.0 ), vec3( 0.0 ), vec3( 0.0 ) );
	vec3 totalEmissiveRadiance = emissive;
	#include <logdepthbuf_fragment>
	#include <map_fragment>
	#include <color_fragment>
	#include <alphamap_fragment>
	#include <alphatest_fragment>
	#include <alphahash_fragment>
	#include <roughnessmap_fragment>
	#include <metalnessmap_fragment>
	#include <normal_fragment_begin>
	#include <normal_fragment_maps>
	#include <clearcoat_normal_fragment_begin>
	#include <clearcoat_normal_fragment_maps>
	#include <emissivemap_fragment>
	#include <lights_physical_fragment>
	#include <lights_fragment_begin>
	#include <lights_fragment_maps>
	#include <lights_fragment_end>
	#include <aomap_fragment>
	vec3 totalDiffuse = reflectedLight.directDiffuse + reflectedLight.indirectDiffuse;
	vec3 totalSpecular = reflectedLight.directSpecular + reflectedLight.indirectSpecular;
	#include <transmission_fragment>
	vec3 outgoingLight = totalDiffuse + totalSpecular + totalEmissiveRadiance;
	#ifdef USE_SHEEN
 
		outgoingLight = outgoingLight + sheenSpecularDirect + sheenSpecularIndirect;
 
 	#endif
	#ifdef USE_CLEARCOAT
		float dotNVcc = saturate( dot( geometryClearcoatNormal, geometryViewDir ) );
		vec3 Fcc = F_Schlick( material.clearcoatF0, material.clearcoatF90, dotNVcc );
		outgoingLight = outgoingLight * ( 1.0 - material.clearcoat * Fcc ) + ( clearcoatSpecularDirect + clearcoatSpecularIndirect ) * material.clearcoat;
	#endif
	#include <opaque_fragment>
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
	#include <fog_fragment>
	#include <premultiplied_alpha_fragment>
	#include <dithering_fragment>
}`,ZM=`#define TOON
varying vec3 vViewPosition;
#include <common>
#include <batching_pars_vertex>
#include <uv_pars_vertex>
#include <displacementmap_pars_vertex>
#include <color_pars_vertex>
#include <fog_pars_vertex>
#include <normal_pars_vertex>
#include <morphtarget_pars_vertex>
#include <skinning_pars_vertex>
#include <shadowmap_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
void main() {
	#include <uv_vertex>
	#include <color_vertex>
	#include <morphinstance_vertex>
	#include <morphcolor_vertex>
	#include <batching_vertex>
	#include <beginnormal_vertex>
	#include <morphnormal_vertex>
	#include <skinbase_vertex>
	#include <skinnormal_vertex>
	#include <defaultnormal_vertex>
	#include <normal_vertex>
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <skinning_vertex>
	#include <displacementmap_vertex>
	#include <project_vertex>
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
	vViewPosition = - mvPosition.xyz;
	#include <worldpos_vertex>
	#include <shadowmap_vertex>
	#include <fog_vertex>
}`,JM=`#define TOON
uniform vec3 diffuse;
uniform vec3 emissive;
uniform float opacity;
#include <common>
#include <dithering_pars_fragment>
#include <color_pars_fragment>
#include <uv_pars_fragment>
#include <map_pars_fragment>
#include <alphamap_pars_fragment>
#include <alphatest_pars_fragment>
#include <alphahash_pars_fragment>
#include <aomap_pars_fragment>
#include <lightmap_pars_fragment>
#include <emissivemap_pars_fragment>
#include <gradientmap_pars_fragment>
#include <fog_pars_fragment>
#include <bsdfs>
#include <lights_pars_begin>
#include <normal_pars_fragment>
#include <lights_toon_pars_fragment>
#include <shadowmap_pars_fragment>
#include <bumpmap_pars_fragment>
#include <normalmap_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
void main() {
	vec4 diffuseColor = vec4( diffuse, opacity );
	#include <clipping_planes_fragment>
	ReflectedLight reflectedLight = ReflectedLight( vec3( 0.0 ), vec3( 0.0 ), vec3( 0.0 ), vec3( 0.0 ) );
	vec3 totalEmissiveRadiance = emissive;
	#include <logdepthbuf_fragment>
	#include <map_fragment>
	#include <color_fragment>
	#include <alphamap_fragment>
	#include <alphatest_fragment>
	#include <alphahash_fragment>
	#include <normal_fragment_begin>
	#include <normal_fragment_maps>
	#include <emissivemap_fragment>
	#include <lights_toon_fragment>
	#include <lights_fragment_begin>
	#include <lights_fragment_maps>
	#include <lights_fragment_end>
	#include <aomap_fragment>
	vec3 outgoingLight = reflectedLight.directDiffuse + reflectedLight.indirectDiffuse + totalEmissiveRadiance;
	#include <opaque_fragment>
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
	#include <fog_fragment>
	#include <premultiplied_alpha_fragment>
	#include <dithering_fragment>
}`,KM=`uniform float size;
uniform float scale;
#include <common>
#include <color_pars_vertex>
#include <fog_pars_vertex>
#include <morphtarget_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
#ifdef USE_POINTS_UV
	varying vec2 vUv;
	uniform mat3 uvTransform;
#endif
void main() {
	#ifdef USE_POINTS_UV
		vUv = ( uvTransform * vec3( uv, 1 ) ).xy;
	#endif
	#include <color_vertex>
	#include <morphinstance_vertex>
	#include <morphcolor_vertex>
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <project_vertex>
	gl_PointSize = size;
	#ifdef USE_SIZEATTENUATION
		bool isPerspective = isPerspectiveMatrix( projectionMatrix );
		if ( isPerspective ) gl_PointSize *= ( scale / - mvPosition.z );
	#endif
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
	#include <worldpos_vertex>
	#include <fog_vertex>
}`,jM=`uniform vec3 diffuse;
uniform float opacity;
#include <common>
#include <color_pars_fragment>
#include <map_particle_pars_fragment>
#include <alphatest_pars_fragment>
#include <alphahash_pars_fragment>
#include <fog_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
void main() {
	vec4 diffuseColor = vec4( diffuse, opacity );
	#include <clipping_planes_fragment>
	vec3 outgoingLight = vec3( 0.0 );
	#include <logdepthbuf_fragment>
	#include <map_particle_fragment>
	#include <color_fragment>
	#include <alphatest_fragment>
	#include <alphahash_fragment>
	outgoingLight = diffuseColor.rgb;
	#include <opaque_fragment>
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
	#include <fog_fragment>
	#include <premultiplied_alpha_fragment>
}`,QM=`#include <common>
#include <batching_pars_vertex>
#include <fog_pars_vertex>
#include <morphtarget_pars_vertex>
#include <skinning_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <shadowmap_pars_vertex>
void main() {
	#include <batching_vertex>
	#include <beginnormal_vertex>
	#include <morphinstance_vertex>
	#include <morphnormal_vertex>
	#include <skinbase_vertex>
	#include <skinnormal_vertex>
	#include <defaultnormal_vertex>
	#include <begin_vertex>
	#include <morphtarget_vertex>
	#include <skinning_vertex>
	#include <project_vertex>
	#include <logdepthbuf_vertex>
	#include <worldpos_vertex>
	#include <shadowmap_vertex>
	#include <fog_vertex>
}`,eS=`uniform vec3 color;
uniform float opacity;
#include <common>
#include <fog_pars_fragment>
#include <bsdfs>
#include <lights_pars_begin>
#include <logdepthbuf_pars_fragment>
#include <shadowmap_pars_fragment>
#include <shadowmask_pars_fragment>
void main() {
	#include <logdepthbuf_fragment>
	gl_FragColor = vec4( color, opacity * ( 1.0 - getShadowMask() ) );
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
	#include <fog_fragment>
	#include <premultiplied_alpha_fragment>
}`,tS=`uniform float rotation;
uniform vec2 center;
#include <common>
#include <uv_pars_vertex>
#include <fog_pars_vertex>
#include <logdepthbuf_pars_vertex>
#include <clipping_planes_pars_vertex>
void main() {
	#include <uv_vertex>
	vec4 mvPosition = modelViewMatrix[ 3 ];
	vec2 scale = vec2( length( modelMatrix[ 0 ].xyz ), length( modelMatrix[ 1 ].xyz ) );
	#ifndef USE_SIZEATTENUATION
		bool isPerspective = isPerspectiveMatrix( projectionMatrix );
		if ( isPerspective ) scale *= - mvPosition.z;
	#endif
	vec2 alignedPosition = ( position.xy - ( center - vec2( 0.5 ) ) ) * scale;
	vec2 rotatedPosition;
	rotatedPosition.x = cos( rotation ) * alignedPosition.x - sin( rotation ) * alignedPosition.y;
	rotatedPosition.y = sin( rotation ) * alignedPosition.x + cos( rotation ) * alignedPosition.y;
	mvPosition.xy += rotatedPosition;
	gl_Position = projectionMatrix * mvPosition;
	#include <logdepthbuf_vertex>
	#include <clipping_planes_vertex>
	#include <fog_vertex>
}`,nS=`uniform vec3 diffuse;
uniform float opacity;
#include <common>
#include <uv_pars_fragment>
#include <map_pars_fragment>
#include <alphamap_pars_fragment>
#include <alphatest_pars_fragment>
#include <alphahash_pars_fragment>
#include <fog_pars_fragment>
#include <logdepthbuf_pars_fragment>
#include <clipping_planes_pars_fragment>
void main() {
	vec4 diffuseColor = vec4( diffuse, opacity );
	#include <clipping_planes_fragment>
	vec3 outgoingLight = vec3( 0.0 );
	#include <logdepthbuf_fragment>
	#include <map_fragment>
	#include <alphamap_fragment>
	#include <alphatest_fragment>
	#include <alphahash_fragment>
	outgoingLight = diffuseColor.rgb;
	#include <opaque_fragment>
	#include <tonemapping_fragment>
	#include <colorspace_fragment>
	#include <fog_fragment>
}`,yt={alphahash_fragment:wy,alphahash_pars_fragment:Ay,alphamap_fragment:Ty,alphamap_pars_fragment:Ey,alphatest_fragment:Ry,alphatest_pars_fragment:Cy,aomap_fragment:Iy,aomap_pars_fragment:Py,batching_pars_vertex:Ly,batching_vertex:Ny,begin_vertex:Dy,beginnormal_vertex:Uy,bsdfs:Fy,iridescence_fragment:Oy,bumpmap_pars_fragment:By,clipping_planes_fragment:zy,clipping_planes_pars_fragment:ky,clipping_planes_pars_vertex:Gy,clipping_planes_vertex:Vy,color_fragment:Hy,color_pars_fragment:Wy,color_pars_vertex:Xy,color_vertex:qy,common:Yy,defaultnormal_vertex:$y,displacementmap_pars_vertex:Zy,displacementmap_vertex:Jy,emissivemap_fragment:Ky,emissivemap_pars_fragment:jy,colorspace_fragment:Qy,colorspace_pars_fragment:ev,envmap_fragment:tv,envmap_common_pars_fragment:nv,envmap_pars_fragment:iv,envmap_pars_vertex:sv,envmap_physical_pars_fragment:mv,envmap_vertex:rv,fog_vertex:ov,fog_pars_vertex:av,fog_fragment:lv,fog_pars_fragment:cv,gradientmap_pars_fragment:hv,lightmap_pars_fragment:uv,lights_lambert_fragment:fv,lights_lambert_pars_fragment:dv,lights_pars_begin:pv,lights_toon_fragment:gv,lights_toon_pars_fragment:xv,lights_phong_fragment:_v,lights_phong_pars_fragment:yv,lights_physical_fragment:vv,lights_physical_pars_fragment:Mv,lights_fragment_begin:Sv,lights_fragment_maps:bv,lights_fragment_end:wv,lightprobes_pars_fragment:Av,logdepthbuf_fragment:Tv,logdepthbuf_pars_fragment:Ev,logdepthbuf_pars_vertex:Rv,logdepthbuf_vertex:Cv,map_fragment:Iv,map_pars_fragment:Pv,map_particle_fragment:Lv,map_particle_pars_fragment:Nv,metalnessmap_fragment:Dv,metalnessmap_pars_fragment:Uv,morphinstance_vertex:Fv,morphcolor_vertex:Ov,morphnormal_vertex:Bv,morphtarget_pars_vertex:zv,morphtarget_vertex:kv,normal_fragment_begin:Gv,normal_fragment_maps:Vv,normal_pars_fragment:Hv,normal_pars_vertex:Wv,normal_vertex:Xv,normalmap_pars_fragment:qv,clearcoat_normal_fragment_begin:Yv,clearcoat_normal_fragment_maps:$v,clearcoat_pars_fragment:Zv,iridescence_pars_fragment:Jv,opaque_fragment:Kv,packing:jv,premultiplied_alpha_fragment:Qv,project_vertex:eM,dithering_fragment:tM,dithering_pars_fragment:nM,roughnessmap_fragment:iM,roughnessmap_pars_fragment:sM,shadowmap_pars_fragment:rM,shadowmap_pars_vertex:oM,shadowmap_vertex:aM,shadowmask_pars_fragment:lM,skinbase_vertex:cM,skinning_pars_vertex:hM,skinning_vertex:uM,skinnormal_vertex:fM,specularmap_fragment:dM,specularmap_pars_fragment:pM,tonemapping_fragment:mM,tonemapping_pars_fragment:gM,transmission_fragment:xM,transmission_pars_fragment:_M,uv_pars_fragment:yM,uv_pars_vertex:vM,uv_vertex:MM,worldpos_vertex:SM,background_vert:bM,background_frag:wM,backgroundCube_vert:AM,backgroundCube_frag:TM,cube_vert:EM,cube_frag:RM,depth_vert:CM,depth_frag:IM,distance_vert:PM,distance_frag:LM,equirect_vert:NM,equirect_frag:DM,linedashed_vert:UM,linedashed_frag:FM,meshbasic_vert:OM,meshbasic_frag:BM,meshlambert_vert:zM,meshlambert_frag:kM,meshmatcap_vert:GM,meshmatcap_frag:VM,meshnormal_vert:HM,meshnormal_frag:WM,meshphong_vert:XM,meshphong_frag:qM,meshphysical_vert:YM,meshphysical_frag:$M,meshtoon_vert:ZM,meshtoon_frag:JM,points_vert:KM,points_frag:jM,shadow_vert:QM,shadow_frag:eS,sprite_vert:tS,sprite_frag:nS},Oe={common:{diffuse:{value:new Ve(16777215)},opacity:{value:1},map:{value:null},mapTransform:{value:new dt},alphaMap:{value:null},alphaMapTransform:{value:new dt},alphaTest:{value:0}},specularmap:{specularMap:{value:null},specularMapTransform:{value:new dt}},envmap:{envMap:{value:null},envMapRotation:{value:new dt},reflectivity:{value:1},ior:{value:1.5},refractionRatio:{value:.98},dfgLUT:{value:null}},aomap:{aoMap:{value:null},aoMapIntensity:{value:1},aoMapTransform:{value:new dt}},lightmap:{lightMap:{value:null},lightMapIntensity:{value:1},lightMapTransform:{value:new dt}},bumpmap:{bumpMap:{value:null},bumpMapTransform:{value:new dt},bumpScale:{value:1}},normalmap:{normalMap:{value:null},normalMapTransform:{value:new dt},normalScale:{value:new Ee(1,1)}},displacementmap:{displacementMap:{value:null},displacementMapTransform:{value:new dt},displacementScale:{value:1},displacementBias:{value:0}},emissivemap:{emissiveMap:{value:null},emissiveMapTransform:{value:new dt}},metalnessmap:{metalnessMap:{value:null},metalnessMapTransform:{value:new dt}},roughnessmap:{roughnessMap:{value:null},roughnessMapTransform:{value:new dt}},gradientmap:{gradientMap:{value:null}},fog:{fogDensity:{value:25e-5},fogNear:{value:1},fogFar:{value:2e3},fogColor:{value:new Ve(16777215)}},lights:{ambientLightColor:{value:[]},lightProbe:{value:[]},sunLights:{value:[],properties:{direction:{},color:{}}},sunLightShadows:{value:[],properties:{shadowIntensity:1,shadowBias:{},shadowNormalBias:{},shadowRadius:{},shadowMapSize:{}}},sunShadowMatrix:{value:[]},sunShadowCascade:{value:[]},directionalLights:{value:[],properties:{direction:{},color:{}}},directionalLightShadows:{value:[],properties:{shadowIntensity:1,shadowBias:{},shadowNormalBias:{},shadowRadius:{},shadowMapSize:{}}},directionalShadowMatrix:{value:[]},spotLights:{value:[],properties:{color:{},position:{},direction:{},distance:{},coneCos:{},penumbraCos:{},decay:{}}},spotLightShadows:{value:[],properties:{shadowIntensity:1,shadowBias:{},shadowNormalBias:{},shadowRadius:{},shadowMapSize:{}}},spotLightMap:{value:[]},spotLightMatrix:{value:[]},pointLights:{value:[],properties:{color:{},position:{},decay:{},distance:{}}},pointLightShadows:{value:[],properties:{shadowIntensity:1,shadowBias:{},shadowNormalBias:{},shadowRadius:{},shadowMapSize:{},shadowCameraNear:{},shadowCameraFar:{}}},pointShadowMatrix:{value:[]},hemisphereLights:{value:[],properties:{direction:{},skyColor:{},groundColor:{}}},rectAreaLights:{value:[],properties:{color:{},position:{},width:{},height:{}}},ltc_1:{value:null},ltc_2:{value:null},probesSH:{value:[]},probesMin:{value:[]},probesMax:{value:[]},probesResolution:{value:[]}},points:{diffuse:{value:new Ve(16777215)},opacity:{value:1},size:{value:1},scale:{value:1},map:{value:null},alphaMap:{value:null},alphaMapTransform:{value:new dt},alphaTest:{value:0},uvTransform:{value:new dt}},sprite:{diffuse:{value:new Ve(16777215)},opacity:{value:1},center:{value:new Ee(.5,.5)},rotation:{value:0},map:{value:null},mapTransform:{value:new dt},alphaMap:{value:null},alphaMapTransform:{value:new dt},alphaTest:{value:0}}},ns={basic:{uniforms:On([Oe.common,Oe.specularmap,Oe.envmap,Oe.aomap,Oe.lightmap,Oe.fog]),vertexShader:yt.meshbasic_vert,fragmentShader:yt.meshbasic_frag},lambert:{uniforms:On([Oe.common,Oe.specularmap,Oe.envmap,Oe.aomap,Oe.lightmap,Oe.emissivemap,Oe.bumpmap,Oe.normalmap,Oe.displacementmap,Oe.fog,Oe.lights,{emissive:{value:new Ve(0)},envMapIntensity:{value:1}}]),vertexShader:yt.meshlambert_vert,fragmentShader:yt.meshlambert_frag},phong:{uniforms:On([Oe.common,Oe.specularmap,Oe.envmap,Oe.aomap,Oe.lightmap,Oe.emissivemap,Oe.bumpmap,Oe.normalmap,Oe.displacementmap,Oe.fog,Oe.lights,{emissive:{value:new Ve(0)},specular:{value:new Ve(1118481)},shininess:{value:30},envMapIntensity:{value:1}}]),vertexShader:yt.meshphong_vert,fragmentShader:yt.meshphong_frag},standard:{uniforms:On([Oe.common,Oe.envmap,Oe.aomap,Oe.lightmap,Oe.emissivemap,Oe.bumpmap,Oe.normalmap,Oe.displacementmap,Oe.roughnessmap,Oe.metalnessmap,Oe.fog,Oe.lights,{emissive:{value:new Ve(0)},roughness:{value:1},metalness:{value:0},envMapIntensity:{value:1}}]),vertexShader:yt.meshphysical_vert,fragmentShader:yt.meshphysical_frag},toon:{uniforms:On([Oe.common,Oe.aomap,Oe.lightmap,Oe.emissivemap,Oe.bumpmap,Oe.normalmap,Oe.displacementmap,Oe.gradientmap,Oe.fog,Oe.lights,{emissive:{value:new Ve(0)}}]),vertexShader:yt.meshtoon_vert,fragmentShader:yt.meshtoon_frag},matcap:{uniforms:On([Oe.common,Oe.bumpmap,Oe.normalmap,Oe.displacementmap,Oe.fog,{matcap:{value:null}}]),vertexShader:yt.meshmatcap_vert,fragmentShader:yt.meshmatcap_frag},points:{uniforms:On([Oe.points,Oe.fog]),vertexShader:yt.points_vert,fragmentShader:yt.points_frag},dashed:{uniforms:On([Oe.common,Oe.fog,{scale:{value:1},dashSize:{value:1},totalSize:{value:2}}]),vertexShader:yt.linedashed_vert,fragmentShader:yt.linedashed_frag},depth:{uniforms:On([Oe.common,Oe.displacementmap]),vertexShader:yt.depth_vert,fragmentShader:yt.depth_frag},normal:{uniforms:On([Oe.common,Oe.bumpmap,Oe.normalmap,Oe.displacementmap,{opacity:{value:1}}]),vertexShader:yt.meshnormal_vert,fragmentShader:yt.meshnormal_frag},sprite:{uniforms:On([Oe.sprite,Oe.fog]),vertexShader:yt.sprite_vert,fragmentShader:yt.sprite_frag},background:{uniforms:{uvTransform:{value:new dt},t2D:{value:null},backgroundIntensity:{value:1}},vertexShader:yt.background_vert,fragmentShader:yt.background_frag},backgroundCube:{uniforms:{envMap:{value:null},backgroundBlurriness:{value:0},backgroundIntensity:{value:1},backgroundRotation:{value:new dt}},vertexShader:yt.backgroundCube_vert,fragmentShader:yt.backgroundCube_frag},cube:{uniforms:{tCube:{value:null},tFlip:{value:-1},opacity:{value:1}},vertexShader:yt.cube_vert,fragmentShader:yt.cube_frag},equirect:{uniforms:{tEquirect:{value:null}},vertexShader:yt.equirect_vert,fragmentShader:yt.equirect_frag},distance:{uniforms:On([Oe.common,Oe.displacementmap,{referencePosition:{value:new k},nearDistance:{value:1},farDistance:{value:1e3}}]),vertexShader:yt.distance_vert,fragmentShader:yt.distance_frag},shadow:{uniforms:On([Oe.lights,Oe.fog,{color:{value:new Ve(0)},opacity:{value:1}}]),vertexShader:yt.shadow_vert,fragmentShader:yt.shadow_frag}};ns.physical={uniforms:On([ns.standard.uniforms,{clearcoat:{value:0},clearcoatMap:{value:null},clearcoatMapTransform:{value:new dt},clearcoatNormalMap:{value:null},clearcoatNormalMapTransform:{value:new dt},clearcoatNormalScale:{value:new Ee(1,1)},clearcoatRoughness:{value:0},clearcoatRoughnessMap:{value:null},clearcoatRoughnessMapTransform:{value:new dt},diffuseRoughness:{value:0},diffuseRoughnessMap:{value:null},diffuseRoughnessMapTransform:{value:new dt},dispersion:{value:0},retroreflectivity:{value:0},iridescence:{value:0},iridescenceMap:{value:null},iridescenceMapTransform:{value:new dt},iridescenceIOR:{value:1.3},iridescenceThicknessMinimum:{value:100},iridescenceThicknessMaximum:{value:400},iridescenceThicknessMap:{value:null},iridescenceThicknessMapTransform:{value:new dt},sheen:{value:0},sheenColor:{value:new Ve(0)},sheenColorMap:{value:null},sheenColorMapTransform:{value:new dt},sheenRoughness:{value:1},sheenRoughnessMap:{value:null},sheenRoughnessMapTransform:{value:new dt},transmission:{value:0},transmissionMap:{value:null},transmissionMapTransform:{value:new dt},transmissionSamplerSize:{value:new Ee},transmissionSamplerMap:{value:null},thickness:{value:0},thicknessMap:{value:null},thicknessMapTransform:{value:new dt},attenuationDistance:{value:0},attenuationColor:{value:new Ve(0)},specularColor:{value:new Ve(1,1,1)},specularColorMap:{value:null},specularColorMapTransform:{value:new dt},specularIntensity:{value:1},specularIntensityMap:{value:null},specularIntensityMapTransform:{value:new dt},anisotropyVector:{value:new Ee},anisotropyMap:{value:null},anisotropyMapTransform:{value:new dt}}]),vertexShader:yt.meshphysical_vert,fragmentShader:yt.meshphysical_frag};var sh={r:0,b:0,g:0},iS=new Rt,Km=new dt;Km.set(-1,0,0,0,1,0,0,0,1);function sS(i,e,t,n,s,r){let o=new Ve(0),a=s===!0?0:1,l,c,h=null,u=0,f=null;function d(v){let E=v.isScene===!0?v.background:null;if(E&&E.isTexture){let _=v.backgroundBlurriness>0;E=e.get(E,_)}return E}function p(v){let E=!1,_=d(v);_===null?m(o,a):_&&_.isColor&&(m(_,1),E=!0);let R=i.xr.getEnvironmentBlendMode();R==="additive"?t.buffers.color.setClear(0,0,0,1,r):R==="alpha-blend"&&t.buffers.color.setClear(0,0,0,0,r),(i.autoClear||E)&&(t.buffers.depth.setTest(!0),t.buffers.depth.setMask(!0),t.buffers.color.setMask(!0),i.clear(i.autoClearColor,i.autoClearDepth,i.autoClearStencil))}function x(v,E){let _=d(E);_&&_.isCubeTexture?(c===void 0&&(c=new xn(new ji(1,1,1),new Si({name:"BackgroundCubeMaterial",uniforms:Mr(ns.backgroundCube.uniforms),vertexShader:ns.backgroundCube.vertexShader,fragmentShader:ns.backgroundCube.fragmentShader,side:Rn,depthTest:!1,depthWrite:!1,fog:!1,allowOverride:!1})),c.geometry.deleteAttribute("normal"),c.geometry.deleteAttribute("uv"),c.onBeforeRender=function(R,A,y){this.matrixWorld.copyPosition(y.matrixWorld)},Object.defineProperty(c.material,"envMap",{get:function(){return this.uniforms.envMap.value}}),n.update(c)),c.material.uniforms.envMap.value=_,c.material.uniforms.backgroundBlurriness.value=E.backgroundBlurriness,c.material.uniforms.backgroundIntensity.value=E.backgroundIntensity,c.material.uniforms.backgroundRotation.value.setFromMatrix4(iS.makeRotationFromEuler(E.backgroundRotation)).transpose(),_.isRenderTargetTexture===!1&&c.material.uniforms.backgroundRotation.value.premultiply(Km),c.material.toneMapped=Tt.getTransfer(_.colorSpace)!==Ft,(h!==_||u!==_.version||f!==i.toneMapping)&&(c.material.needsUpdate=!0,h=_,u=_.version,f=i.toneMapping),c.layers.enableAll(),v.unshift(c,c.geometry,c.material,0,0,null)):_&&_.isTexture&&(l===void 0&&(l=new xn(new Qi(2,2),new Si({name:"BackgroundMaterial",uniforms:Mr(ns.background.uniforms),vertexShader:ns.background.vertexShader,fragmentShader:ns.background.fragmentShader,side:Zs,depthTest:!1,depthWrite:!1,fog:!1,allowOverride:!1})),l.geometry.deleteAttribute("normal"),Object.defineProperty(l.material,"map",{get:function(){return this.uniforms.t2D.value}}),n.update(l)),l.material.uniforms.t2D.value=_,l.material.uniforms.backgroundIntensity.value=E.backgroundIntensity,l.material.toneMapped=Tt.getTransfer(_.colorSpace)!==Ft,_.matrixAutoUpdate===!0&&_.updateMatrix(),l.material.uniforms.uvTransform.value.copy(_.matrix),(h!==_||u!==_.version||f!==i.toneMapping)&&(l.material.needsUpdate=!0,h=_,u=_.version,f=i.toneMapping),l.layers.enableAll(),v.unshift(l,l.geometry,l.material,0,0,null))}function m(v,E){v.getRGB(sh,pf(i)),t.buffers.color.setClear(sh.r,sh.g,sh.b,E,r)}function g(){c!==void 0&&(c.geometry.dispose(),c.material.dispose(),c=void 0),l!==void 0&&(l.geometry.dispose(),l.material.dispose(),l=void 0)}return{getClearColor:function(){return o},setClearColor:function(v,E=1){o.set(v),a=E,m(o,a)},getClearAlpha:function(){return a},setClearAlpha:function(v){a=v,m(o,a)},render:p,addToRenderList:x,dispose:g}}function rS(i,e){let t=i.getParameter(i.MAX_VERTEX_ATTRIBS),n={},s=f(null),r=s,o=!1;function a(P,z,V,N,B){let X=!1,G=u(P,N,V,z);r!==G&&(r=G,c(r.object)),X=d(P,N,V,B),X&&p(P,N,V,B),B!==null&&e.update(B,i.ELEMENT_ARRAY_BUFFER),(X||o)&&(o=!1,_(P,z,V,N),B!==null&&i.bindBuffer(i.ELEMENT_ARRAY_BUFFER,e.get(B).buffer))}function l(){return i.createVertexArray()}function c(P){return i.bindVertexArray(P)}function h(P){return i.deleteVertexArray(P)}function u(P,z,V,N){let B=N.wireframe===!0,X=n[z.id];X===void 0&&(X={},n[z.id]=X);let G=P.isInstancedMesh===!0?P.id:0,le=X[G];le===void 0&&(le={},X[G]=le);let Y=le[V.id];Y===void 0&&(Y={},le[V.id]=Y);let K=Y[B];return K===void 0&&(K=f(l()),Y[B]=K),K}function f(P){let z=[],V=[],N=[];for(let B=0;B<t;B++)z[B]=0,V[B]=0,N[B]=0;return{geometry:null,program:null,wireframe:!1,newAttributes:z,enabledAttributes:V,attributeDivisors:N,object:P,attributes:{},index:null}}function d(P,z,V,N){let B=r.attributes,X=z.attributes,G=0,le=V.getAttributes();for(let Y in le)if(le[Y].location>=0){let ee=B[Y],fe=X[Y];if(fe===void 0&&(Y==="instanceMatrix"&&P.instanceMatrix&&(fe=P.instanceMatrix),Y==="instanceColor"&&P.instanceColor&&(fe=P.instanceColor)),ee===void 0||ee.attribute!==fe||fe&&ee.data!==fe.data)return!0;G++}return r.attributesNum!==G||r.index!==N}function p(P,z,V,N){let B={},X=z.attributes,G=0,le=V.getAttributes();for(let Y in le)if(le[Y].location>=0){let ee=X[Y];ee===void 0&&(Y==="instanceMatrix"&&P.instanceMatrix&&(ee=P.instanceMatrix),Y==="instanceColor"&&P.instanceColor&&(ee=P.instanceColor));let fe={};fe.attribute=ee,ee&&ee.data&&(fe.data=ee.data),B[Y]=fe,G++}r.attributes=B,r.attributesNum=G,r.index=N}function x(){let P=r.newAttributes;for(let z=0,V=P.length;z<V;z++)P[z]=0}function m(P){g(P,0)}function g(P,z){let V=r.newAttributes,N=r.enabledAttributes,B=r.attributeDivisors;V[P]=1,N[P]===0&&(i.enableVertexAttribArray(P),N[P]=1),B[P]!==z&&(i.vertexAttribDivisor(P,z),B[P]=z)}function v(){let P=r.newAttributes,z=r.enabledAttributes;for(let V=0,N=z.length;V<N;V++)z[V]!==P[V]&&(i.disableVertexAttribArray(V),z[V]=0)}function E(P,z,V,N,B,X,G){G===!0?i.vertexAttribIPointer(P,z,V,B,X):i.vertexAttribPointer(P,z,V,N,B,X)}function _(P,z,V,N){x();let B=N.attributes,X=V.getAttributes(),G=z.defaultAttributeValues;for(let le in X){let Y=X[le];if(Y.location>=0){let K=B[le];if(K===void 0&&(le==="instanceMatrix"&&P.instanceMatrix&&(K=P.instanceMatrix),le==="instanceColor"&&P.instanceColor&&(K=P.instanceColor)),K!==void 0){let ee=K.normalized,fe=K.itemSize,he=e.get(K);if(he===void 0)continue;let j=he.buffer,ge=he.type,_e=he.bytesPerElement,Le=ge===i.INT||ge===i.UNSIGNED_INT||K.gpuType===vc;if(K.isInterleavedBufferAttribute){let be=K.data,He=be.isInterleavedBuffer===!0?be.stride:be.itemSize,st=K.offset;if(be.isInstancedInterleavedBuffer||be.isInstancedBufferAttribute){for(let Ke=0;Ke<Y.locationSize;Ke++)g(Y.location+Ke,be.meshPerAttribute);P.isInstancedMesh!==!0&&N._maxInstanceCount===void 0&&(N._maxInstanceCount=be.meshPerAttribute*be.count)}else for(let Ke=0;Ke<Y.locationSize;Ke++)m(Y.location+Ke);i.bindBuffer(i.ARRAY_BUFFER,j);for(let Ke=0;Ke<Y.locationSize;Ke++)E(Y.location+Ke,fe/Y.locationSize,ge,ee,He*_e,(st+fe/Y.locationSize*Ke)*_e,Le)}else{if(K.isInstancedBufferAttribute){for(let be=0;be<Y.locationSize;be++)g(Y.location+be,K.meshPerAttribute);P.isInstancedMesh!==!0&&N._maxInstanceCount===void 0&&(N._maxInstanceCount=K.meshPerAttribute*K.count)}else for(let be=0;be<Y.locationSize;be++)m(Y.location+be);i.bindBuffer(i.ARRAY_BUFFER,j);for(let be=0;be<Y.locationSize;be++)E(Y.location+be,fe/Y.locationSize,ge,ee,fe*_e,fe/Y.locationSize*be*_e,Le)}}else if(G!==void 0){let ee=G[le];if(ee!==void 0)switch(ee.length){case 2:i.vertexAttrib2fv(Y.location,ee);break;case 3:i.vertexAttrib3fv(Y.location,ee);break;case 4:i.vertexAttrib4fv(Y.location,ee);break;default:i.vertexAttrib1fv(Y.location,ee)}}}}v()}function R(){U();for(let P in n){let z=n[P];for(let V in z){let N=z[V];for(let B in N){let X=N[B];for(let G in X)h(X[G].object),delete X[G];delete N[B]}}delete n[P]}}function A(P){if(n[P.id]===void 0)return;let z=n[P.id];for(let V in z){let N=z[V];for(let B in N){let X=N[B];for(let G in X)h(X[G].object),delete X[G];delete N[B]}}delete n[P.id]}function y(P){for(let z in n){let V=n[z];for(let N in V){let B=V[N];if(B[P.id]===void 0)continue;let X=B[P.id];for(let G in X)h(X[G].object),delete X[G];delete B[P.id]}}}function b(P){for(let z in n){let V=n[z],N=P.isInstancedMesh===!0?P.id:0,B=V[N];if(B!==void 0){for(let X in B){let G=B[X];for(let le in G)h(G[le].object),delete G[le];delete B[X]}delete V[N],Object.keys(V).length===0&&delete n[z]}}}function U(){I(),o=!0,r!==s&&(r=s,c(r.object))}function I(){s.geometry=null,s.program=null,s.wireframe=!1}return{setup:a,reset:U,resetDefaultState:I,dispose:R,releaseStatesOfGeometry:A,releaseStatesOfObject:b,releaseStatesOfProgram:y,initAttributes:x,enableAttribute:m,disableUnusedAttributes:v}}function oS(i,e,t){let n;function s(l){n=l}function r(l,c){i.drawArrays(n,l,c),t.update(c,n,1)}function o(l,c,h){h!==0&&(i.drawArraysInstanced(n,l,c,h),t.update(c,n,h))}function a(l,c,h){if(h===0)return;e.get("WEBGL_multi_draw").multiDrawArraysWEBGL(n,l,0,c,0,h);let f=0;for(let d=0;d<h;d++)f+=c[d];t.update(f,n,1)}this.setMode=s,this.render=r,this.renderInstances=o,this.renderMultiDraw=a}function aS(i,e,t,n){let s;function r(){if(s!==void 0)return s;if(e.has("EXT_texture_filter_anisotropic")===!0){let y=e.get("EXT_texture_filter_anisotropic");s=i.getParameter(y.MAX_TEXTURE_MAX_ANISOTROPY_EXT)}else s=0;return s}function o(y){return!(y!==oi&&n.convert(y)!==i.getParameter(i.IMPLEMENTATION_COLOR_READ_FORMAT))}function a(y){let b=y===Oi&&(e.has("EXT_color_buffer_half_float")||e.has("EXT_color_buffer_float"));return!(y!==Jn&&y!==wi&&!b&&n.convert(y)!==i.getParameter(i.IMPLEMENTATION_COLOR_READ_TYPE))}function l(y){if(y==="highp"){if(i.getShaderPrecisionFormat(i.VERTEX_SHADER,i.HIGH_FLOAT).precision>0&&i.getShaderPrecisionFormat(i.FRAGMENT_SHADER,i.HIGH_FLOAT).precision>0)return"highp";y="mediump"}return y==="mediump"&&i.getShaderPrecisionFormat(i.VERTEX_SHADER,i.MEDIUM_FLOAT).precision>0&&i.getShaderPrecisionFormat(i.FRAGMENT_SHADER,i.MEDIUM_FLOAT).precision>0?"mediump":"lowp"}let c=t.precision!==void 0?t.precision:"highp",h=l(c);h!==c&&(tt("WebGLRenderer:",c,"not supported, using",h,"instead."),c=h);let u=t.reversedDepthBuffer===!0&&e.has("EXT_clip_control"),f=t.logarithmicDepthBuffer===!0&&u===!1;t.reversedDepthBuffer===!0&&u===!1&&tt("WebGLRenderer: Unable to use reversed depth buffer due to missing EXT_clip_control extension. Fallback to default depth buffer."),t.logarithmicDepthBuffer===!0&&u===!0&&tt("WebGLRenderer: Logarithmic depth buffer is ignored when reversed depth buffer is enabled.");let d=i.getParameter(i.MAX_TEXTURE_IMAGE_UNITS),p=i.getParameter(i.MAX_VERTEX_TEXTURE_IMAGE_UNITS),x=i.getParameter(i.MAX_TEXTURE_SIZE),m=i.getParameter(i.MAX_CUBE_MAP_TEXTURE_SIZE),g=i.getParameter(i.MAX_VERTEX_ATTRIBS),v=i.getParameter(i.MAX_VERTEX_UNIFORM_VECTORS),E=i.getParameter(i.MAX_VARYING_VECTORS),_=i.getParameter(i.MAX_FRAGMENT_UNIFORM_VECTORS),R=i.getParameter(i.MAX_SAMPLES),A=i.getParameter(i.SAMPLES);return{isWebGL2:!0,getMaxAnisotropy:r,getMaxPrecision:l,textureFormatReadable:o,textureTypeReadable:a,precision:c,logarithmicDepthBuffer:f,reversedDepthBuffer:u,maxTextures:d,maxVertexTextures:p,maxTextureSize:x,maxCubemapSize:m,maxAttributes:g,maxVertexUniforms:v,maxVaryings:E,maxFragmentUniforms:_,maxSamples:R,samples:A}}function lS(i){let e=this,t=null,n=0,s=!1,r=!1,o=new ii,a=new dt,l={value:null,needsUpdate:!1};this.uniform=l,this.numPlanes=0,this.numIntersection=0,this.init=function(u,f){let d=u.length!==0||f||n!==0||s;return s=f,n=u.length,d},this.beginShadows=function(){r=!0,h(null)},this.endShadows=function(){r=!1},this.setGlobalState=function(u,f){t=h(u,f,0)},this.setState=function(u,f,d){let p=u.clippingPlanes,x=u.clipIntersection,m=u.clipShadows,g=i.get(u);if(!s||p===null||p.length===0||r&&!m)r?h(null):c();else{let v=r?0:n,E=v*4,_=g.clippingState||null;l.value=_,_=h(p,f,E,d);for(let R=0;R!==E;++R)_[R]=t[R];g.clippingState=_,this.numIntersection=x?this.numPlanes:0,this.numPlanes+=v}};function c(){l.value!==t&&(l.value=t,l.needsUpdate=n>0),e.numPlanes=n,e.numIntersection=0}function h(u,f,d,p){let x=u!==null?u.length:0,m=null;if(x!==0){if(m=l.value,p!==!0||m===null){let g=d+x*4,v=f.matrixWorldInverse;a.getNormalMatrix(v),(m===null||m.length<g)&&(m=new Float32Array(g));for(let E=0,_=d;E!==x;++E,_+=4)o.copy(u[E]).applyMatrix4(v,a),o.normal.toArray(m,_),m[_+3]=o.constant}l.value=m,l.needsUpdate=!0}return e.numPlanes=x,e.numIntersection=0,m}}var Ja=class extends si{constructor(e=1,t={}){super(e,e,t),this.isWebGLCubeRenderTarget=!0;let n={width:e,height:e,depth:1},s=[n,n,n,n,n,n];this.texture=new ya(s),this._setTextureOptions(t),this.texture.isRenderTargetTexture=!0}fromEquirectangularTexture(e,t){this.texture.type=t.type,this.texture.colorSpace=t.colorSpace,this.texture.generateMipmaps=t.generateMipmaps,this.texture.minFilter=t.minFilter,this.texture.magFilter=t.magFilter;let n={uniforms:{tEquirect:{value:null}},vertexShader:`

				varying vec3 vWorldDirection;

				vec3 transformDirection( in vec3 dir, in mat4 matrix ) {

					return normalize( ( matrix * vec4( dir, 0.0 ) ).xyz );

				}

				void main() {

					vWorldDirection = transformDirection( position, modelMatrix );

					#include <begin_vertex>
					#include <project_vertex>

				}
			`,fragmentShader:`

				uniform sampler2D tEquirect;

				varying vec3 vWorldDirection;

				#include <common>

				void main() {

					vec3 direction = normalize( vWorldDirection );

					vec2 sampleUV = equirectUv( direction );

					gl_FragColor = texture2D( tEquirect, sampleUV );

				}
			`},s=new ji(5,5,5),r=new Si({name:"CubemapFromEquirect",uniforms:Mr(n.uniforms),vertexShader:n.vertexShader,fragmentShader:n.fragmentShader,side:Rn,blending:gr});r.uniforms.tEquirect.value=t;let o=new xn(s,r),a=t.minFilter;return t.minFilter===Ui&&(t.minFilter=Pn),new So(1,10,this).update(e,o),t.minFilter=a,o.geometry.dispose(),o.material.dispose(),this}clear(e,t=!0,n=!0,s=!0){let r=e.getRenderTarget();for(let o=0;o<6;o++)e.setRenderTarget(this,o),e.clear(t,n,s);e.setRenderTarget(r)}},Cm=256,cS=3,hS=20,jm=256,Qm=16,uS=3,fS=new k,dS=new Ve,Io=class i{constructor(e){this._renderer=e,this._cubeSize=0,this._sourceTarget=null,this._cubeCamera=new So(1,10,null),this._boxMesh=new xn(new ji(5,5,5),null),this._cubemapMaterial=null,this._equirectMaterial=null,this._blurMaterial=null,this._ggxMaterial=null,this._integrationMaterial=null}fromScene(e,t=0,n=.1,s=100,r={}){let{size:o=256,position:a=fS}=r,l=this._renderer;this._setSize(o);let c=this._allocateTarget(),h=this._getSourceTarget(!0);t>0&&(h.texture.mipmapsAutoUpdate=!1);let u=l.autoClear,f=l.autoClearColor,d=l.autoClearDepth,p=l.autoClearStencil,x=e.background;l.autoClear=!0,l.autoClearColor=!0,l.autoClearDepth=!0,l.autoClearStencil=!0,x===null&&(e.background=l.getClearColor(dS));let m=new So(n,s,h);return m.position.copy(a),m.update(l,e),l.autoClear=u,l.autoClearColor=f,l.autoClearDepth=d,l.autoClearStencil=p,e.background=x,t>0&&(h.texture.mipmapsAutoUpdate=!0,this._blur(c,t)),this._applyPMREM(c),c}fromEquirectangular(e,t=null){return this._fromTexture(e,t)}fromCubemap(e,t=null){return this._fromTexture(e,t)}compileCubemapShader(){this._cubemapMaterial===null&&(this._cubemapMaterial=Lm(),this._compileMaterial(this._cubemapMaterial))}compileEquirectangularShader(){this._equirectMaterial===null&&(this._equirectMaterial=Pm(),this._compileMaterial(this._equirectMaterial))}dispose(){this._sourceTarget!==null&&this._sourceTarget.dispose(),this._cubemapMaterial!==null&&this._cubemapMaterial.dispose(),this._equirectMaterial!==null&&this._equirectMaterial.dispose(),this._blurMaterial!==null&&this._blurMaterial.dispose(),this._ggxMaterial!==null&&this._ggxMaterial.dispose(),this._integrationMaterial!==null&&this._integrationMaterial.dispose(),this._boxMesh.geometry.dispose()}static lodToRoughness(e,t){return t>0?1-Math.sqrt(1-e/t):0}_setSize(e){this._cubeSize=Math.max(Cm,uf(e))}_fromTexture(e,t){e.mapping===_r||e.mapping===Ao?this._setSize(e.image.length===0?Cm:e.image[0].width||e.image[0].image.width):this._setSize(e.image.width/4);let n=t||this._allocateTarget();return this._textureToCubemap(e),this._applyPMREM(n),n}_allocateTarget(){let e=this._cubeSize,t=Im(e,!1,!1),n=Math.log2(e)-cS;for(let s=0;s<=n;s++)t.texture.mipmaps.push({width:e>>s,height:e>>s});return t.texture.name="PMREM",t.texture.isPMREMTexture=!0,t}_getSourceTarget(e=!1){let t=this._cubeSize,n=this._sourceTarget;return(n===null||n.width!==t||e&&n.depthBuffer===!1)&&(n!==null&&n.dispose(),this._sourceTarget=Im(t,!0,e)),this._sourceTarget}_compileMaterial(e){this._boxMesh.material=e,this._renderer.compile(this._boxMesh,this._cubeCamera.children[0])}_renderCube(e,t,n){let s=this._boxMesh,r=this._cubeCamera;s.material=n,r.renderTarget=e,r.activeMipmapLevel=t;let o=e.width>>t;e.viewport.set(0,0,o,o),r.update(this._renderer,s),e.viewport.set(0,0,e.width,e.height)}_textureToCubemap(e){let t;e.mapping===_r||e.mapping===Ao?(this._cubemapMaterial===null&&(this._cubemapMaterial=Lm()),t=this._cubemapMaterial,t.uniforms.flipEnvMap.value=e.isRenderTargetTexture===!1?-1:1):(this._equirectMaterial===null&&(this._equirectMaterial=Pm()),t=this._equirectMaterial),t.uniforms.envMap.value=e,this._renderCube(this._getSourceTarget(),0,t)}_applyPMREM(e){this._ggxMaterial===null&&(this._ggxMaterial=pS(),this._integrationMaterial=mS());let t=this._cubeSize,n=e.texture.mipmaps.length-1,s=this._ggxMaterial.uniforms;s.envMap.value=this._sourceTarget.texture;let r=this._integrationMaterial.uniforms;r.envMap.value=this._sourceTarget.texture,r.sourceLod.value=Math.log2(t/Qm);for(let o=0;o<=n;o++){let a=i.lodToRoughness(o,n);if(o>n-uS)r.roughness.value=a,this._renderCube(e,o,this._integrationMaterial);else{let l=a>0?Math.log2(t)+.5*Math.log2(6/(jm*Math.pow(a,4)))+.5:0;s.roughness.value=a,s.lodBias.value=l,this._renderCube(e,o,this._ggxMaterial)}}}_blur(e,t){this._blurMaterial===null&&(this._blurMaterial=gS());let n=this._blurMaterial,s=n.uniforms,r=this._sourceTarget;s.sigma.value=Math.min(t,Math.PI)/Math.SQRT2,s.envMap.value=r.texture,this._renderCube(e,0,n),s.envMap.value=e.texture,this._renderCube(r,0,n)}};function Im(i,e,t){return new Ja(i,{minFilter:Ui,generateMipmaps:e,type:Oi,colorSpace:fa,depthBuffer:t})}function Ka(i,e,t){return new Si({name:i,uniforms:e,vertexShader:yt.cube_vert,fragmentShader:t,side:Rn,blending:gr,depthTest:!1,depthWrite:!1})}function pS(){return Ka("PMREMGGXConvolution",{envMap:{value:null},roughness:{value:0},lodBias:{value:0}},`

		#define GGX_SAMPLES ${jm}u

		varying vec3 vWorldDirection;

		uniform samplerCube envMap;
		uniform float roughness;
		uniform float lodBias;

		#include <common>

		// Van der Corput radical inverse
		float radicalInverse_VdC( uint bits ) {

			bits = ( bits << 16u ) | ( bits >> 16u );
			bits = ( ( bits & 0x55555555u ) << 1u ) | ( ( bits & 0xAAAAAAAAu ) >> 1u );
			bits = ( ( bits & 0x33333333u ) << 2u ) | ( ( bits & 0xCCCCCCCCu ) >> 2u );
			bits = ( ( bits & 0x0F0F0F0Fu ) << 4u ) | ( ( bits & 0xF0F0F0F0u ) >> 4u );
			bits = ( ( bits & 0x00FF00FFu ) << 8u ) | ( ( bits & 0xFF00FF00u ) >> 8u );
			return float( bits ) * 2.3283064365386963e-10; // / 0x100000000

		}

		// Hammersley sequence
		vec2 hammersley( uint i, uint N ) {

			return vec2( float( i ) / float( N ), radicalInverse_VdC( i ) );

		}

		void main() {

			vec3 N = normalize( vWorldDirection );

			// For very low roughness, just sample the environment directly
			if ( roughness < 0.001 ) {

				gl_FragColor = vec4( textureLod( envMap, N, 0.0 ).rgb, 1.0 );
				return;

			}

			float alpha = roughness * roughness;
			float alpha2 = alpha * alpha;

			// Tangent space basis for VNDF sampling
			vec3 up = abs( N.z ) < 0.999 ? vec3( 0.0, 0.0, 1.0 ) : vec3( 1.0, 0.0, 0.0 );
			vec3 tangent = normalize( cross( up, N ) );
			vec3 bitangent = cross( N, tangent );

			vec3 prefilteredColor = vec3( 0.0 );
			float totalWeight = 0.0;

			for ( uint i = 0u; i < GGX_SAMPLES; i ++ ) {

				vec2 Xi = hammersley( i, GGX_SAMPLES );

				// With V = N, sample the reflected direction directly.
				float invQ = 1.0 / ( 1.0 - Xi.x + alpha2 * Xi.x );
				float NdotL = ( 1.0 - Xi.x - alpha2 * Xi.x ) * invQ;

				if ( NdotL > 0.0 ) {

					float phi = 2.0 * PI * Xi.y;
					float sinTheta = 2.0 * alpha * sqrt( Xi.x * ( 1.0 - Xi.x ) ) * invQ;
					vec3 L = N * NdotL + ( tangent * cos( phi ) + bitangent * sin( phi ) ) * sinTheta;

					// Match the source mip to the sample's solid angle. The terms
					// independent of the sample are precomputed in lodBias.
					float d = alpha2 * invQ;
					float lod = max( log2( d ) + lodBias, 0.0 );

					// Weight by NdotL for the split-sum approximation
					prefilteredColor += textureLod( envMap, L, lod ).rgb * NdotL;
					totalWeight += NdotL;

				}

			}

			gl_FragColor = vec4( prefilteredColor / totalWeight, 1.0 );

		}
	`)}function mS(){return Ka("PMREMGGXIntegration",{envMap:{value:null},roughness:{value:0},sourceLod:{value:0},sourceSize:{value:Qm}},`

		varying vec3 vWorldDirection;

		uniform samplerCube envMap;
		uniform float roughness;
		uniform float sourceLod;
		uniform int sourceSize;

		void main() {

			vec3 N = normalize( vWorldDirection );

			float alpha = roughness * roughness;
			float alpha2 = alpha * alpha;

			float texelSize = 2.0 / float( sourceSize );

			vec3 prefilteredColor = vec3( 0.0 );
			float totalWeight = 0.0;

			// Pair opposite texels: only the one in N's hemisphere contributes.
			for ( int face = 0; face < 3; face ++ ) {

				for ( int y = 0; y < sourceSize; y ++ ) {

					for ( int x = 0; x < sourceSize; x ++ ) {

						vec2 uv = ( vec2( x, y ) + 0.5 ) * texelSize - 1.0;
						vec3 texelDirection = face == 0 ? vec3( 1.0, uv ) : ( face == 1 ? vec3( uv.x, 1.0, uv.y ) : vec3( uv, 1.0 ) );

						float invDistance = inversesqrt( 1.0 + dot( uv, uv ) );
						float NdotL = dot( N, texelDirection );
						texelDirection *= NdotL < 0.0 ? - 1.0 : 1.0;
						NdotL = abs( NdotL ) * invDistance;

						// With V = N, NdotH squared is ( 1 + NdotL ) / 2. Common factors
						// in the GGX distribution and texel solid angle cancel when normalized.
						float d = 1.0 + alpha2 + ( alpha2 - 1.0 ) * NdotL;
						float weight = NdotL * invDistance * invDistance * invDistance / ( d * d );

						prefilteredColor += textureLod( envMap, texelDirection, sourceLod ).rgb * weight;
						totalWeight += weight;

					}

				}

			}

			gl_FragColor = vec4( prefilteredColor / totalWeight, 1.0 );

		}
	`)}function gS(){return Ka("PMREMSphericalGaussianBlur",{envMap:{value:null},sigma:{value:0}},`

		#define SAMPLES ${hS}
		#define GOLDEN_ANGLE 2.39996322973

		varying vec3 vWorldDirection;

		uniform samplerCube envMap;
		uniform float sigma;

		#include <common>

		void main() {

			vec3 outputDirection = normalize( vWorldDirection );

			vec3 up = abs( outputDirection.z ) < 0.999 ? vec3( 0.0, 0.0, 1.0 ) : vec3( 1.0, 0.0, 0.0 );
			vec3 tangent = normalize( cross( up, outputDirection ) );
			vec3 bitangent = cross( outputDirection, tangent );

			// Truncate the kernel at three standard deviations or at the antipode.
			float thetaMax = min( 3.0 * sigma, PI );
			float truncation = 1.0 - exp( - 0.5 * thetaMax * thetaMax / ( sigma * sigma ) );

			vec3 accumColor = vec3( 0.0 );
			float accumWeight = 0.0;

			for ( int i = 0; i < SAMPLES; i ++ ) {

				// Stratified inverse-CDF sampling of the Gaussian, placed on a golden-angle spiral.
				float stratum = ( float( i ) + 0.5 ) / float( SAMPLES );
				float theta = sigma * sqrt( - 2.0 * log( 1.0 - stratum * truncation ) );
				float phi = float( i ) * GOLDEN_ANGLE;

				vec3 offset = cos( phi ) * tangent + sin( phi ) * bitangent;
				vec3 sampleDirection = cos( theta ) * outputDirection + sin( theta ) * offset;

				// Correct the planar sample density to solid angle.
				float weight = sin( theta ) / theta;

				accumColor += weight * textureLod( envMap, sampleDirection, 0.0 ).rgb;
				accumWeight += weight;

			}

			gl_FragColor = vec4( accumColor / accumWeight, 1.0 );

		}
	`)}function Pm(){return Ka("PMREMEquirectangularToCubemap",{envMap:{value:null}},`

		varying vec3 vWorldDirection;

		uniform sampler2D envMap;

		#include <common>

		void main() {

			// Average four subpixel samples to preserve small, bright features.
			vec3 direction = normalize( vWorldDirection );
			vec3 dx = dFdx( direction ) * 0.25;
			vec3 dy = dFdy( direction ) * 0.25;

			vec3 color = textureLod( envMap, equirectUv( normalize( direction - dx - dy ) ), 0.0 ).rgb;
			color += textureLod( envMap, equirectUv( normalize( direction + dx - dy ) ), 0.0 ).rgb;
			color += textureLod( envMap, equirectUv( normalize( direction - dx + dy ) ), 0.0 ).rgb;
			color += textureLod( envMap, equirectUv( normalize( direction + dx + dy ) ), 0.0 ).rgb;
			gl_FragColor = vec4( color * 0.25, 1.0 );

		}
	`)}function Lm(){return Ka("PMREMCubemapToCubemap",{envMap:{value:null},flipEnvMap:{value:-1}},`

		varying vec3 vWorldDirection;

		uniform samplerCube envMap;
		uniform float flipEnvMap;

		void main() {

			gl_FragColor = vec4( textureCube( envMap, vec3( flipEnvMap * vWorldDirection.x, vWorldDirection.yz ) ).rgb, 1.0 );

		}
	`)}function xS(i){let e=new WeakMap,t=new WeakMap,n=null;function s(f,d=!1){return f==null?null:d?o(f):r(f)}function r(f){if(f&&f.isTexture){let d=f.mapping;if(d===xc||d===_c)if(e.has(f)){let p=e.get(f).texture;return a(p,f.mapping)}else{let p=f.image;if(p&&p.height>0){let x=new Ja(p.height);return x.fromEquirectangularTexture(i,f),e.set(f,x),f.addEventListener("dispose",c),a(x.texture,f.mapping)}else return null}}return f}function o(f){if(f&&f.isTexture&&f.isPMREMTexture!==!0){let d=f.mapping,p=d===xc||d===_c,x=d===_r||d===Ao;if(p||x){let m=t.get(f),g=m!==void 0?m.texture.pmremVersion:0;if(f.isRenderTargetTexture&&f.pmremVersion!==g)return n===null&&(n=new Io(i)),m=p?n.fromEquirectangular(f,m):n.fromCubemap(f,m),m.texture.pmremVersion=f.pmremVersion,t.set(f,m),m.texture;if(m!==void 0)return m.texture;{let v=f.image;return p&&v&&v.height>0||x&&v&&l(v)?(n===null&&(n=new Io(i)),m=p?n.fromEquirectangular(f):n.fromCubemap(f),m.texture.pmremVersion=f.pmremVersion,t.set(f,m),f.addEventListener("dispose",h),m.texture):null}}}return f}function a(f,d){return d===xc?f.mapping=_r:d===_c&&(f.mapping=Ao),f}function l(f){let d=0,p=6;for(let x=0;x<p;x++)f[x]!==void 0&&d++;return d===p}function c(f){let d=f.target;d.removeEventListener("dispose",c);let p=e.get(d);p!==void 0&&(e.delete(d),p.dispose())}function h(f){let d=f.target;d.removeEventListener("dispose",h);let p=t.get(d);p!==void 0&&(t.delete(d),p.dispose())}function u(){e=new WeakMap,t=new WeakMap,n!==null&&(n.dispose(),n=null)}return{get:s,dispose:u}}function _S(i){let e={};function t(n){if(e[n]!==void 0)return e[n];let s=i.getExtension(n);return e[n]=s,s}return{has:function(n){return t(n)!==null},init:function(){t("EXT_color_buffer_float"),t("WEBGL_clip_cull_distance"),t("OES_texture_float_linear"),t("EXT_color_buffer_half_float"),t("WEBGL_multisampled_render_to_texture"),t("WEBGL_render_shared_exponent")},get:function(n){let s=t(n);return s===null&&aa("WebGLRenderer: "+n+" extension not supported."),s}}}function yS(i,e,t,n){let s={},r=new WeakMap,o=new FinalizationRegistry(p=>delete s[p]);function a(p){l(p.target)}function l(p){p.index!==null&&e.remove(p.index);for(let m in p.attributes)e.remove(p.attributes[m]);p.removeEventListener("dispose",a),delete s[p.id],o.unregister(p);let x=r.get(p);x&&(e.remove(x),r.delete(p)),n.releaseStatesOfGeometry(p),p.isInstancedBufferGeometry===!0&&delete p._maxInstanceCount,t.memory.geometries--}function c(p,x){return s[x.id]!==void 0||(x.addEventListener("dispose",a),s[x.id]=new WeakRef(x),o.register(x,x.id,x),t.memory.geometries++),x}function h(p){let x=p.attributes;for(let m in x)e.update(x[m],i.ARRAY_BUFFER)}function u(p){let x=p.index,m=p.attributes.position,g=0;if(m===void 0)return;let v=x!==null?x.array.length:m.array.length/3-1,E=m.count>=65535?xa:ga,_=new E(Math.ceil(v/3)*6,1),R=_.array;if(x!==null){let y=x.array;g=x.version;for(let b=0,U=0;b<v;b+=3){let I=y[b+0],P=y[b+1],z=y[b+2];R[U++]=I,R[U++]=P,R[U++]=P,R[U++]=z,R[U++]=z,R[U++]=I}}else{g=m.version;for(let y=0,b=0;y<v;y+=3){let U=y+0,I=y+1,P=y+2;R[b++]=U,R[b++]=I,R[b++]=I,R[b++]=P,R[b++]=P,R[b++]=U}}_.version=g;let A=r.get(p);A&&e.remove(A),r.set(p,_)}function f(p){let x=r.get(p);if(x){let m=p.index;m!==null&&x.version<m.version&&u(p)}else u(p);return r.get(p)}function d(){for(let p in s){let x=s[p].deref();x!==void 0&&l(x)}}return{get:c,update:h,getWireframeAttribute:f,dispose:d}}function vS(i,e,t){let n;function s(u){n=u}let r,o;function a(u){r=u.type,o=u.bytesPerElement}function l(u,f){i.drawElements(n,f,r,u*o),t.update(f,n,1)}function c(u,f,d){d!==0&&(i.drawElementsInstanced(n,f,r,u*o,d),t.update(f,n,d))}function h(u,f,d){if(d===0)return;e.get("WEBGL_multi_draw").multiDrawElementsWEBGL(n,f,0,r,u,0,d);let x=0;for(let m=0;m<d;m++)x+=f[m];t.update(x,n,1)}this.setMode=s,this.setIndex=a,this.render=l,this.renderInstances=c,this.renderMultiDraw=h}function MS(i){let e={geometries:0,textures:0},t={frame:0,calls:0,triangles:0,points:0,lines:0};function n(r,o,a){switch(t.calls++,o){case i.TRIANGLES:t.triangles+=a*(r/3);break;case i.LINES:t.lines+=a*(r/2);break;case i.LINE_STRIP:t.lines+=a*(r-1);break;case i.LINE_LOOP:t.lines+=a*r;break;case i.POINTS:t.points+=a*r;break;default:at("WebGLInfo: Unknown draw mode:",o);break}}function s(){t.calls=0,t.triangles=0,t.points=0,t.lines=0}return{memory:e,render:t,programs:null,autoReset:!0,reset:s,update:n}}function SS(i,e,t){let n=new WeakMap,s=new Qt;function r(o,a,l){let c=o.morphTargetInfluences,h=a.morphAttributes.position||a.morphAttributes.normal||a.morphAttributes.color,u=h!==void 0?h.length:0,f=n.get(a);if(f===void 0||f.count!==u){let U=function(){y.dispose(),n.delete(a),a.removeEventListener("dispose",U)};f!==void 0&&f.texture.dispose();let d=a.morphAttributes.position!==void 0,p=a.morphAttributes.normal!==void 0,x=a.morphAttributes.color!==void 0,m=a.morphAttributes.position||[],g=a.morphAttributes.normal||[],v=a.morphAttributes.color||[],E=0;d===!0&&(E=1),p===!0&&(E=2),x===!0&&(E=3);let _=a.attributes.position.count*E,R=1;_>e.maxTextureSize&&(R=Math.ceil(_/e.maxTextureSize),_=e.maxTextureSize);let A=new Float32Array(_*R*4*u),y=new ma(A,_,R,u);y.type=wi,y.needsUpdate=!0;let b=E*4;for(let I=0;I<u;I++){let P=m[I],z=g[I],V=v[I],N=_*R*4*I;for(let B=0;B<P.count;B++){let X=B*b;d===!0&&(s.fromBufferAttribute(P,B),A[N+X+0]=s.x,A[N+X+1]=s.y,A[N+X+2]=s.z,A[N+X+3]=0),p===!0&&(s.fromBufferAttribute(z,B),A[N+X+4]=s.x,A[N+X+5]=s.y,A[N+X+6]=s.z,A[N+X+7]=0),x===!0&&(s.fromBufferAttribute(V,B),A[N+X+8]=s.x,A[N+X+9]=s.y,A[N+X+10]=s.z,A[N+X+11]=V.itemSize===4?s.w:1)}}f={count:u,texture:y,size:new Ee(_,R)},n.set(a,f),a.addEventListener("dispose",U)}if(o.isInstancedMesh===!0&&o.morphTexture!==null)l.getUniforms().setValue(i,"morphTexture",o.morphTexture,t);else{let d=0;for(let x=0;x<c.length;x++)d+=c[x];let p=a.morphTargetsRelative?1:1-d;l.getUniforms().setValue(i,"morphTargetBaseInfluence",p),l.getUniforms().setValue(i,"morphTargetInfluences",c)}l.getUniforms().setValue(i,"morphTargetsTexture",f.texture,t),l.getUniforms().setValue(i,"morphTargetsTextureSize",f.size)}return{update:r}}function bS(i,e,t,n,s){let r=new WeakMap;function o(c){let h=s.render.frame,u=c.geometry,f=e.get(c,u);if(r.get(f)!==h&&(e.update(f),r.set(f,h)),c.isInstancedMesh&&(c.hasEventListener("dispose",l)===!1&&c.addEventListener("dispose",l),r.get(c)!==h&&(t.update(c.instanceMatrix,i.ARRAY_BUFFER),c.instanceColor!==null&&t.update(c.instanceColor,i.ARRAY_BUFFER),r.set(c,h))),c.isSkinnedMesh){let d=c.skeleton;r.get(d)!==h&&(d.update(),r.set(d,h))}return f}function a(){r=new WeakMap}function l(c){let h=c.target;h.removeEventListener("dispose",l),n.releaseStatesOfObject(h),t.remove(h.instanceMatrix),h.instanceColor!==null&&t.remove(h.instanceColor)}return{update:o,dispose:a}}var wS={[Xu]:"LINEAR_TONE_MAPPING",[qu]:"REINHARD_TONE_MAPPING",[Yu]:"CINEON_TONE_MAPPING",[$u]:"ACES_FILMIC_TONE_MAPPING",[Ju]:"AGX_TONE_MAPPING",[Ga]:"NEUTRAL_TONE_MAPPING",[Zu]:"CUSTOM_TONE_MAPPING"};function AS(i,e,t,n,s,r){let o=new si(e,t,{type:i,depthBuffer:s,stencilBuffer:r,samples:n?4:0,storeMultisampledDepthBuffer:!1,storeMultisampledStencilBuffer:!1,resolveDepthBuffer:!1,resolveStencilBuffer:!1}),a=null,l=null,c=null,h=new Jt;h.setAttribute("position",new Lt([-1,3,0,-1,-1,0,3,-1,0],3)),h.setAttribute("uv",new Lt([0,2,0,0,2,0],2));let u=new rc({uniforms:{tDiffuse:{value:null}},vertexShader:`
			precision highp float;

			uniform mat4 modelViewMatrix;
			uniform mat4 projectionMatrix;

			attribute vec3 position;
			attribute vec2 uv;

			varying vec2 vUv;

			void main() {
				vUv = uv;
				gl_Position = projectionMatrix * modelViewMatrix * vec4( position, 1.0 );
			}`,fragmentShader:`
			precision highp float;

			uniform sampler2D tDiffuse;

			varying vec2 vUv;

			#include <tonemapping_pars_fragment>
			#include <colorspace_pars_fragment>

			void main() {
				gl_FragColor = texture2D( tDiffuse, vUv );

				#ifdef LINEAR_TONE_MAPPING
					gl_FragColor.rgb = LinearToneMapping( gl_FragColor.rgb );
				#elif defined( REINHARD_TONE_MAPPING )
					gl_FragColor.rgb = ReinhardToneMapping( gl_FragColor.rgb );
				#elif defined( CINEON_TONE_MAPPING )
					gl_FragColor.rgb = CineonToneMapping( gl_FragColor.rgb );
				#elif defined( ACES_FILMIC_TONE_MAPPING )
					gl_FragColor.rgb = ACESFilmicToneMapping( gl_FragColor.rgb );
				#elif defined( AGX_TONE_MAPPING )
					gl_FragColor.rgb = AgXToneMapping( gl_FragColor.rgb );
				#elif defined( NEUTRAL_TONE_MAPPING )
					gl_FragColor.rgb = NeutralToneMapping( gl_FragColor.rgb );
				#elif defined( CUSTOM_TONE_MAPPING )
					gl_FragColor.rgb = CustomToneMapping( gl_FragColor.rgb );
				#endif

				#ifdef SRGB_TRANSFER
					gl_FragColor = sRGBTransferOETF( gl_FragColor );
				#endif
			}`,depthTest:!1,depthWrite:!1}),f=new xn(h,u),d=new Oa(-1,1,1,-1,0,1),p=null,x=null,m=!1,g,v=null,E=[],_=!1;this.setSize=function(R,A){o.setSize(R,A),a!==null&&a.setSize(R,A),l!==null&&l.setSize(R,A);for(let y=0;y<E.length;y++){let b=E[y];b.setSize&&b.setSize(R,A)}},this.setEffects=function(R){E=R,_=E.length>0&&E[0].isRenderPass===!0;let A=o.width,y=o.height;E.length>0&&a===null&&(a=new si(A,y,{type:Oi,depthBuffer:!1,stencilBuffer:!1}),l=new si(A,y,{type:Oi,depthBuffer:!1,stencilBuffer:!1}));let b=s===!0&&E.some(U=>U.needsDepthTexture===!0);b!==(o.depthTexture!==null)&&(b===!0&&c===null&&(c=new Ss(A,y),r===!0&&(c.format=As,c.type=vr)),o.dispose(),o.depthTexture=b?c:null,o.resolveDepthBuffer=b,o.storeMultisampledDepthBuffer=b);for(let U=0;U<E.length;U++){let I=E[U];I.setSize&&I.setSize(A,y),b&&I.needsDepthTexture===!0&&I.setDepthTexture&&I.setDepthTexture(c)}},this.begin=function(R,A){if(m||R.toneMapping===es&&E.length===0)return!1;if(v=A,A!==null){let y=A.width,b=A.height;(o.width!==y||o.height!==b)&&this.setSize(y,b)}return _===!1&&R.setRenderTarget(o),g=R.toneMapping,R.toneMapping=es,!0},this.hasRenderPass=function(){return _},this.end=function(R,A){R.toneMapping=g,m=!0;let y=o,b=a;for(let U=0;U<E.length;U++){let I=E[U];I.enabled!==!1&&(I.render(R,b,y,A),I.needsSwap!==!1&&(y=b,b=b===a?l:a))}if(p!==R.outputColorSpace||x!==R.toneMapping){p=R.outputColorSpace,x=R.toneMapping,u.defines={},Tt.getTransfer(p)===Ft&&(u.defines.SRGB_TRANSFER="");let U=wS[x];U&&(u.defines[U]=""),u.needsUpdate=!0}u.uniforms.tDiffuse.value=y.texture,R.setRenderTarget(v),R.render(f,d),v=null,m=!1},this.isCompositing=function(){return m},this.dispose=function(){o.dispose(),a!==null&&a.dispose(),l!==null&&l.dispose(),h.dispose(),u.dispose()}}var eg=new qn,tg=new Ss(1,1),ng=new va(1),ig=new ma,sg=new Zl,rg=new ya,Nm=[],Dm=[],Um=new Float32Array(16),Fm=new Float32Array(9),Om=new Float32Array(4);function Po(i,e,t){let n=i[0];if(n<=0||n>0)return i;let s=e*t,r=Nm[s];if(r===void 0&&(r=new Float32Array(s),Nm[s]=r),e!==0){n.toArray(r,0);for(let o=1,a=0;o!==e;++o)a+=t,i[o].toArray(r,a)}return r}function yn(i,e){if(i.length!==e.length)return!1;for(let t=0,n=i.length;t<n;t++)if(i[t]!==e[t])return!1;return!0}function vn(i,e){for(let t=0,n=e.length;t<n;t++)i[t]=e[t]}function ah(i,e){let t=Dm[e];t===void 0&&(t=new Int32Array(e),Dm[e]=t);for(let n=0;n!==e;++n)t[n]=i.allocateTextureUnit();return t}function TS(i,e){let t=this.cache;t[0]!==e&&(i.uniform1f(this.addr,e),t[0]=e)}function ES(i,e){let t=this.cache;if(e.x!==void 0)(t[0]!==e.x||t[1]!==e.y)&&(i.uniform2f(this.addr,e.x,e.y),t[0]=e.x,t[1]=e.y);else{if(yn(t,e))return;i.uniform2fv(this.addr,e),vn(t,e)}}function RS(i,e){let t=this.cache;if(e.x!==void 0)(t[0]!==e.x||t[1]!==e.y||t[2]!==e.z)&&(i.uniform3f(this.addr,e.x,e.y,e.z),t[0]=e.x,t[1]=e.y,t[2]=e.z);else if(e.r!==void 0)(t[0]!==e.r||t[1]!==e.g||t[2]!==e.b)&&(i.uniform3f(this.addr,e.r,e.g,e.b),t[0]=e.r,t[1]=e.g,t[2]=e.b);else{if(yn(t,e))return;i.uniform3fv(this.addr,e),vn(t,e)}}function CS(i,e){let t=this.cache;if(e.x!==void 0)(t[0]!==e.x||t[1]!==e.y||t[2]!==e.z||t[3]!==e.w)&&(i.uniform4f(this.addr,e.x,e.y,e.z,e.w),t[0]=e.x,t[1]=e.y,t[2]=e.z,t[3]=e.w);else{if(yn(t,e))return;i.uniform4fv(this.addr,e),vn(t,e)}}function IS(i,e){let t=this.cache,n=e.elements;if(n===void 0){if(yn(t,e))return;i.uniformMatrix2fv(this.addr,!1,e),vn(t,e)}else{if(yn(t,n))return;Om.set(n),i.uniformMatrix2fv(this.addr,!1,Om),vn(t,n)}}function PS(i,e){let t=this.cache,n=e.elements;if(n===void 0){if(yn(t,e))return;i.uniformMatrix3fv(this.addr,!1,e),vn(t,e)}else{if(yn(t,n))return;Fm.set(n),i.uniformMatrix3fv(this.addr,!1,Fm),vn(t,n)}}function LS(i,e){let t=this.cache,n=e.elements;if(n===void 0){if(yn(t,e))return;i.uniformMatrix4fv(this.addr,!1,e),vn(t,e)}else{if(yn(t,n))return;Um.set(n),i.uniformMatrix4fv(this.addr,!1,Um),vn(t,n)}}function NS(i,e){let t=this.cache;t[0]!==e&&(i.uniform1i(this.addr,e),t[0]=e)}function DS(i,e){let t=this.cache;if(e.x!==void 0)(t[0]!==e.x||t[1]!==e.y)&&(i.uniform2i(this.addr,e.x,e.y),t[0]=e.x,t[1]=e.y);else{if(yn(t,e))return;i.uniform2iv(this.addr,e),vn(t,e)}}function US(i,e){let t=this.cache;if(e.x!==void 0)(t[0]!==e.x||t[1]!==e.y||t[2]!==e.z)&&(i.uniform3i(this.addr,e.x,e.y,e.z),t[0]=e.x,t[1]=e.y,t[2]=e.z);else{if(yn(t,e))return;i.uniform3iv(this.addr,e),vn(t,e)}}function FS(i,e){let t=this.cache;if(e.x!==void 0)(t[0]!==e.x||t[1]!==e.y||t[2]!==e.z||t[3]!==e.w)&&(i.uniform4i(this.addr,e.x,e.y,e.z,e.w),t[0]=e.x,t[1]=e.y,t[2]=e.z,t[3]=e.w);else{if(yn(t,e))return;i.uniform4iv(this.addr,e),vn(t,e)}}function OS(i,e){let t=this.cache;t[0]!==e&&(i.uniform1ui(this.addr,e),t[0]=e)}function BS(i,e){let t=this.cache;if(e.x!==void 0)(t[0]!==e.x||t[1]!==e.y)&&(i.uniform2ui(this.addr,e.x,e.y),t[0]=e.x,t[1]=e.y);else{if(yn(t,e))return;i.uniform2uiv(this.addr,e),vn(t,e)}}function zS(i,e){let t=this.cache;if(e.x!==void 0)(t[0]!==e.x||t[1]!==e.y||t[2]!==e.z)&&(i.uniform3ui(this.addr,e.x,e.y,e.z),t[0]=e.x,t[1]=e.y,t[2]=e.z);else{if(yn(t,e))return;i.uniform3uiv(this.addr,e),vn(t,e)}}function kS(i,e){let t=this.cache;if(e.x!==void 0)(t[0]!==e.x||t[1]!==e.y||t[2]!==e.z||t[3]!==e.w)&&(i.uniform4ui(this.addr,e.x,e.y,e.z,e.w),t[0]=e.x,t[1]=e.y,t[2]=e.z,t[3]=e.w);else{if(yn(t,e))return;i.uniform4uiv(this.addr,e),vn(t,e)}}function lh(i){return i.version===0&&(i.compareFunction=af,i.needsUpdate=!0),i}function GS(i,e,t){let n=this.cache,s=t.allocateTextureUnit();n[0]!==s&&(i.uniform1i(this.addr,s),n[0]=s);let r;this.type===i.SAMPLER_2D_SHADOW?r=lh(tg):r=eg,t.setTexture2D(e||r,s)}function VS(i,e,t){let n=this.cache,s=t.allocateTextureUnit();n[0]!==s&&(i.uniform1i(this.addr,s),n[0]=s),t.setTexture3D(e||sg,s)}function HS(i,e,t){let n=this.cache,s=t.allocateTextureUnit();n[0]!==s&&(i.uniform1i(this.addr,s),n[0]=s);let r;this.type===i.SAMPLER_CUBE_SHADOW?r=lh(ng):r=rg,t.setTextureCube(e||r,s)}function WS(i,e,t){let n=this.cache,s=t.allocateTextureUnit();n[0]!==s&&(i.uniform1i(this.addr,s),n[0]=s),t.setTexture2DArray(e||ig,s)}function XS(i){switch(i){case 5126:return TS;case 35664:return ES;case 35665:return RS;case 35666:return CS;case 35674:return IS;case 35675:return PS;case 35676:return LS;case 5124:case 35670:return NS;case 35667:case 35671:return DS;case 35668:case 35672:return US;case 35669:case 35673:return FS;case 5125:return OS;case 36294:return BS;case 36295:return zS;case 36296:return kS;case 35678:case 36198:case 36298:case 36306:case 35682:return GS;case 35679:case 36299:case 36307:return VS;case 35680:case 36300:case 36308:case 36293:return HS;case 36289:case 36303:case 36311:case 36292:return WS}}function qS(i,e){i.uniform1fv(this.addr,e)}function YS(i,e){let t=Po(e,this.size,2);i.uniform2fv(this.addr,t)}function $S(i,e){let t=Po(e,this.size,3);i.uniform3fv(this.addr,t)}function ZS(i,e){let t=Po(e,this.size,4);i.uniform4fv(this.addr,t)}function JS(i,e){let t=Po(e,this.size,4);i.uniformMatrix2fv(this.addr,!1,t)}function KS(i,e){let t=Po(e,this.size,9);i.uniformMatrix3fv(this.addr,!1,t)}function jS(i,e){let t=Po(e,this.size,16);i.uniformMatrix4fv(this.addr,!1,t)}function QS(i,e){i.uniform1iv(this.addr,e)}function eb(i,e){i.uniform2iv(this.addr,e)}function tb(i,e){i.uniform3iv(this.addr,e)}function nb(i,e){i.uniform4iv(this.addr,e)}function ib(i,e){i.uniform1uiv(this.addr,e)}function sb(i,e){i.uniform2uiv(this.addr,e)}function rb(i,e){i.uniform3uiv(this.addr,e)}function ob(i,e){i.uniform4uiv(this.addr,e)}function ab(i,e,t){let n=this.cache,s=e.length,r=ah(t,s);yn(n,r)||(i.uniform1iv(this.addr,r),vn(n,r));let o;this.type===i.SAMPLER_2D_SHADOW?o=lh(tg):o=eg;for(let a=0;a!==s;++a)t.setTexture2D(e[a]||o,r[a])}function lb(i,e,t){let n=this.cache,s=e.length,r=ah(t,s);yn(n,r)||(i.uniform1iv(this.addr,r),vn(n,r));for(let o=0;o!==s;++o)t.setTexture3D(e[o]||sg,r[o])}function cb(i,e,t){let n=this.cache,s=e.length,r=ah(t,s);yn(n,r)||(i.uniform1iv(this.addr,r),vn(n,r));let o;this.type===i.SAMPLER_CUBE_SHADOW?o=lh(ng):o=rg;for(let a=0;a!==s;++a)t.setTextureCube(e[a]||o,r[a])}function hb(i,e,t){let n=this.cache,s=e.length,r=ah(t,s);yn(n,r)||(i.uniform1iv(this.addr,r),vn(n,r));for(let o=0;o!==s;++o)t.setTexture2DArray(e[o]||ig,r[o])}function ub(i){switch(i){case 5126:return qS;case 35664:return YS;case 35665:return $S;case 35666:return ZS;case 35674:return JS;case 35675:return KS;case 35676:return jS;case 5124:case 35670:return QS;case 35667:case 35671:return eb;case 35668:case 35672:return tb;case 35669:case 35673:return nb;case 5125:return ib;case 36294:return sb;case 36295:return rb;case 36296:return ob;case 35678:case 36198:case 36298:case 36306:case 35682:return ab;case 35679:case 36299:case 36307:return lb;case 35680:case 36300:case 36308:case 36293:return cb;case 36289:case 36303:case 36311:case 36292:return hb}}var vf=class{constructor(e,t,n){this.id=e,this.addr=n,this.cache=[],this.type=t.type,this.setValue=XS(t.type)}},Mf=class{constructor(e,t,n){this.id=e,this.addr=n,this.cache=[],this.type=t.type,this.size=t.size,this.setValue=ub(t.type)}},Sf=class{constructor(e){this.id=e,this.seq=[],this.map={}}setValue(e,t,n){let s=this.seq;for(let r=0,o=s.length;r!==o;++r){let a=s[r];a.setValue(e,t[a.id],n)}}},_f=/(\w+)(\])?(\[|\.)?/g;function Bm(i,e){i.seq.push(e),i.map[e.id]=e}function fb(i,e,t){let n=i.name,s=n.length;for(_f.lastIndex=0;;){let r=_f.exec(n),o=_f.lastIndex,a=r[1],l=r[2]==="]",c=r[3];if(l&&(a=a|0),c===void 0||c==="["&&o+2===s){Bm(t,c===void 0?new vf(a,i,e):new Mf(a,i,e));break}else{let u=t.map[a];u===void 0&&(u=new Sf(a),Bm(t,u)),t=u}}}var Co=class{constructor(e,t){this.seq=[],this.map={};let n=e.getProgramParameter(t,e.ACTIVE_UNIFORMS);for(let o=0;o<n;++o){let a=e.getActiveUniform(t,o),l=e.getUniformLocation(t,a.name);fb(a,l,this)}let s=[],r=[];for(let o of this.seq)o.type===e.SAMPLER_2D_SHADOW||o.type===e.SAMPLER_CUBE_SHADOW||o.type===e.SAMPLER_2D_ARRAY_SHADOW?s.push(o):r.push(o);s.length>0&&(this.seq=s.concat(r))}setValue(e,t,n,s){let r=this.map[t];r!==void 0&&r.setValue(e,n,s)}setOptional(e,t,n){let s=t[n];s!==void 0&&this.setValue(e,n,s)}static upload(e,t,n,s){for(let r=0,o=t.length;r!==o;++r){let a=t[r],l=n[a.id];l.needsUpdate!==!1&&a.setValue(e,l.value,s)}}static seqWithValue(e,t){let n=[];for(let s=0,r=e.length;s!==r;++s){let o=e[s];o.id in t&&n.push(o)}return n}};function zm(i,e,t){let n=i.createShader(e);return i.shaderSource(n,t),i.compileShader(n),n}var db=37297,pb=0;function mb(i,e){let t=i.split(`
`),n=[],s=Math.max(e-6,0),r=Math.min(e+6,t.length);for(let o=s;o<r;o++){let a=o+1;n.push(`${a===e?">":" "} ${a}: ${t[o]}`)}return n.join(`
`)}var km=new dt;function gb(i){Tt._getMatrix(km,Tt.workingColorSpace,i);let e=`mat3( ${km.elements.map(t=>t.toFixed(4))} )`;switch(Tt.getTransfer(i)){case da:return[e,"LinearTransferOETF"];case Ft:return[e,"sRGBTransferOETF"];default:return tt("WebGLProgram: Unsupported color space: ",i),[e,"LinearTransferOETF"]}}function Gm(i,e,t){let n=i.getShaderParameter(e,i.COMPILE_STATUS),r=(i.getShaderInfoLog(e)||"").trim();if(n&&r==="")return"";let o=/ERROR: 0:(\d+)/.exec(r);if(o){let a=parseInt(o[1]);return t.toUpperCase()+`

`+r+`

`+mb(i.getShaderSource(e),a)}else return r}function xb(i,e){let t=gb(e);return[`vec4 ${i}( vec4 value ) {`,`	return ${t[1]}( vec4( ${t[0]} * value.rgb, value.a ) );`,"}"].join(`
`)}var _b={[Xu]:"Linear",[qu]:"Reinhard",[Yu]:"Cineon",[$u]:"ACESFilmic",[Ju]:"AgX",[Ga]:"Neutral",[Zu]:"Custom"};function yb(i,e){let t=_b[e];return t===void 0?(tt("WebGLProgram: Unsupported toneMapping:",e),"vec3 "+i+"( vec3 color ) { return LinearToneMapping( color ); }"):"vec3 "+i+"( vec3 color ) { return "+t+"ToneMapping( color ); }"}var rh=new k;function vb(){Tt.getLuminanceCoefficients(rh);let i=rh.x.toFixed(4),e=rh.y.toFixed(4),t=rh.z.toFixed(4);return["float luminance( const in vec3 rgb ) {",`	const vec3 weights = vec3( ${i}, ${e}, ${t} );`,"	return dot( weights, rgb );","}"].join(`
`)}function Mb(i){return[i.extensionClipCullDistance?"#extension GL_ANGLE_clip_cull_distance : require":"",i.extensionMultiDraw?"#extension GL_ANGLE_multi_draw : require":""].filter(Za).join(`
`)}function Sb(i){let e=[];for(let t in i){let n=i[t];n!==!1&&e.push("#define "+t+" "+n)}return e.join(`
`)}function bb(i,e){let t={},n=i.getProgramParameter(e,i.ACTIVE_ATTRIBUTES);for(let s=0;s<n;s++){let r=i.getActiveAttrib(e,s),o=r.name,a=1;r.type===i.FLOAT_MAT2&&(a=2),r.type===i.FLOAT_MAT3&&(a=3),r.type===i.FLOAT_MAT4&&(a=4),t[o]={type:r.type,location:i.getAttribLocation(e,o),locationSize:a}}return t}function Za(i){return i!==""}function Vm(i,e){let t=e.numSpotLightShadows+e.numSpotLightMaps-e.numSpotLightShadowsWithMaps;return i.replace(/NUM_SUN_LIGHTS/g,e.numSunLights).replace(/NUM_DIR_LIGHTS/g,e.numDirLights).replace(/NUM_SPOT_LIGHTS/g,e.numSpotLights).replace(/NUM_SPOT_LIGHT_MAPS/g,e.numSpotLightMaps).replace(/NUM_SPOT_LIGHT_COORDS/g,t).replace(/NUM_RECT_AREA_LIGHTS/g,e.numRectAreaLights).replace(/NUM_POINT_LIGHTS/g,e.numPointLights).replace(/NUM_HEMI_LIGHTS/g,e.numHemiLights).replace(/NUM_SUN_LIGHT_SHADOWS/g,e.numSunLightShadows).replace(/NUM_DIR_LIGHT_SHADOWS/g,e.numDirLightShadows).replace(/NUM_SPOT_LIGHT_SHADOWS_WITH_MAPS/g,e.numSpotLightShadowsWithMaps).replace(/NUM_SPOT_LIGHT_SHADOWS/g,e.numSpotLightShadows).replace(/NUM_POINT_LIGHT_SHADOWS/g,e.numPointLightShadows).replace(/NUM_LIGHT_PROBE_GRIDS/g,e.numLightProbeGrids)}function Hm(i,e){return i.replace(/NUM_CLIPPING_PLANES/g,e.numClippingPlanes).replace(/UNION_CLIPPING_PLANES/g,e.numClippingPlanes-e.numClipIntersection)}var wb=/^[ \t]*#include +<([\w\d./]+)>/gm;function bf(i){return i.replace(wb,Ab)}function Ab(i,e){let t=yt[e];if(t===void 0)throw new Error("THREE.WebGLProgram: Can not resolve #include <"+e+">");return bf(t)}var Tb=/#pragma unroll_loop_start\s+for\s*\(\s*int\s+i\s*=\s*(\d+)\s*;\s*i\s*<\s*(\d+)\s*;\s*i\s*\+\+\s*\)\s*{([\s\S]+?)}\s+#pragma unroll_loop_end/g;function Wm(i){return i.replace(Tb,Eb)}function Eb(i,e,t,n){let s="";for(let r=parseInt(e);r<parseInt(t);r++)s+=n.replace(/\[\s*i\s*\]/g,"[ "+r+" ]").replace(/UNROLLED_LOOP_INDEX/g,r);return s}function Xm(i){let e=`precision ${i.precision} float;
	precision ${i.precision} int;
	precision ${i.precision} sampler2D;
	precision ${i.precision} samplerCube;
	precision ${i.precision} sampler3D;
	precision ${i.precision} sampler2DArray;
	precision ${i.precision} sampler2DShadow;
	precision ${i.precision} samplerCubeShadow;
	precision ${i.precision} sampler2DArrayShadow;
	precision ${i.precision} isampler2D;
	precision ${i.precision} isampler3D;
	precision ${i.precision} isamplerCube;
	precision ${i.precision} isampler2DArray;
	precision ${i.precision} usampler2D;
	precision ${i.precision} usampler3D;
	precision ${i.precision} usamplerCube;
	precision ${i.precision} usampler2DArray;
	`;return i.precision==="highp"?e+=`
#define HIGH_PRECISION`:i.precision==="mediump"?e+=`
#define MEDIUM_PRECISION`:i.precision==="lowp"&&(e+=`
#define LOW_PRECISION`),e}var Rb={[mr]:"SHADOWMAP_TYPE_PCF",[bo]:"SHADOWMAP_TYPE_VSM"};function Cb(i){return Rb[i.shadowMapType]||"SHADOWMAP_TYPE_BASIC"}var Ib={[Ao]:"ENVMAP_MODE_REFRACTION"};function Pb(i){return i.envMap===!1?"ENVMAP_MODE_REFLECTION":Ib[i.envMapMode]||"ENVMAP_MODE_REFLECTION"}var Lb={[Wu]:"ENVMAP_BLENDING_MULTIPLY",[im]:"ENVMAP_BLENDING_MIX",[sm]:"ENVMAP_BLENDING_ADD"};function Nb(i){return i.envMap===!1?"ENVMAP_BLENDING_NONE":Lb[i.combine]||"ENVMAP_BLENDING_NONE"}function Db(i,e,t,n){let s=i.getContext(),r=t.defines,o=t.vertexShader,a=t.fragmentShader,l=Cb(t),c=t.envMapPMREM===!0?"ENVMAP_TYPE_PMREM":"ENVMAP_TYPE_CUBE",h=Pb(t),u=Nb(t),f=Mb(t),d=Sb(r),p=s.createProgram(),x,m,g=t.glslVersion?"#version "+t.glslVersion+`
`:"";t.isRawShaderMaterial?(x=["#define SHADER_TYPE "+t.shaderType,"#define SHADER_NAME "+t.shaderName,d].filter(Za).join(`
`),x.length>0&&(x+=`
`),m=["#define SHADER_TYPE "+t.shaderType,"#define SHADER_NAME "+t.shaderName,d].filter(Za).join(`
`),m.length>0&&(m+=`
`)):(x=[Xm(t),"#define SHADER_TYPE "+t.shaderType,"#define SHADER_NAME "+t.shaderName,d,t.extensionClipCullDistance?"#define USE_CLIP_DISTANCE":"",t.batching?"#define USE_BATCHING":"",t.batchingColor?"#define USE_BATCHING_COLOR":"",t.instancing?"#define USE_INSTANCING":"",t.instancingColor?"#define USE_INSTANCING_COLOR":"",t.instancingMorph?"#define USE_INSTANCING_MORPH":"",t.useFog&&t.fog?"#define USE_FOG":"",t.useFog&&t.fogExp2?"#define FOG_EXP2":"",t.map?"#define USE_MAP":"",t.envMap?"#define USE_ENVMAP":"",t.envMap?"#define "+h:"",t.lightMap?"#define USE_LIGHTMAP":"",t.aoMap?"#define USE_AOMAP":"",t.bumpMap?"#define USE_BUMPMAP":"",t.normalMap?"#define USE_NORMALMAP":"",t.normalMapObjectSpace?"#define USE_NORMALMAP_OBJECTSPACE":"",t.normalMapTangentSpace?"#define USE_NORMALMAP_TANGENTSPACE":"",t.displacementMap?"#define USE_DISPLACEMENTMAP":"",t.emissiveMap?"#define USE_EMISSIVEMAP":"",t.anisotropy?"#define USE_ANISOTROPY":"",t.anisotropyMap?"#define USE_ANISOTROPYMAP":"",t.clearcoatMap?"#define USE_CLEARCOATMAP":"",t.clearcoatRoughnessMap?"#define USE_CLEARCOAT_ROUGHNESSMAP":"",t.clearcoatNormalMap?"#define USE_CLEARCOAT_NORMALMAP":"",t.diffuseRoughnessMap?"#define USE_DIFFUSE_ROUGHNESSMAP":"",t.iridescenceMap?"#define USE_IRIDESCENCEMAP":"",t.iridescenceThicknessMap?"#define USE_IRIDESCENCE_THICKNESSMAP":"",t.specularMap?"#define USE_SPECULARMAP":"",t.specularColorMap?"#define USE_SPECULAR_COLORMAP":"",t.specularIntensityMap?"#define USE_SPECULAR_INTENSITYMAP":"",t.roughnessMap?"#define USE_ROUGHNESSMAP":"",t.metalnessMap?"#define USE_METALNESSMAP":"",t.alphaMap?"#define USE_ALPHAMAP":"",t.alphaHash?"#define USE_ALPHAHASH":"",t.transmission?"#define USE_TRANSMISSION":"",t.transmissionMap?"#define USE_TRANSMISSIONMAP":"",t.thicknessMap?"#define USE_THICKNESSMAP":"",t.sheenColorMap?"#define USE_SHEEN_COLORMAP":"",t.sheenRoughnessMap?"#define USE_SHEEN_ROUGHNESSMAP":"",t.mapUv?"#define MAP_UV "+t.mapUv:"",t.alphaMapUv?"#define ALPHAMAP_UV "+t.alphaMapUv:"",t.lightMapUv?"#define LIGHTMAP_UV "+t.lightMapUv:"",t.aoMapUv?"#define AOMAP_UV "+t.aoMapUv:"",t.emissiveMapUv?"#define EMISSIVEMAP_UV "+t.emissiveMapUv:"",t.bumpMapUv?"#define BUMPMAP_UV "+t.bumpMapUv:"",t.normalMapUv?"#define NORMALMAP_UV "+t.normalMapUv:"",t.displacementMapUv?"#define DISPLACEMENTMAP_UV "+t.displacementMapUv:"",t.metalnessMapUv?"#define METALNESSMAP_UV "+t.metalnessMapUv:"",t.roughnessMapUv?"#define ROUGHNESSMAP_UV "+t.roughnessMapUv:"",t.anisotropyMapUv?"#define ANISOTROPYMAP_UV "+t.anisotropyMapUv:"",t.clearcoatMapUv?"#define CLEARCOATMAP_UV "+t.clearcoatMapUv:"",t.clearcoatNormalMapUv?"#define CLEARCOAT_NORMALMAP_UV "+t.clearcoatNormalMapUv:"",t.clearcoatRoughnessMapUv?"#define CLEARCOAT_ROUGHNESSMAP_UV "+t.clearcoatRoughnessMapUv:"",t.diffuseRoughnessMapUv?"#define DIFFUSE_ROUGHNESSMAP_UV "+t.diffuseRoughnessMapUv:"",t.iridescenceMapUv?"#define IRIDESCENCEMAP_UV "+t.iridescenceMapUv:"",t.iridescenceThicknessMapUv?"#define IRIDESCENCE_THICKNESSMAP_UV "+t.iridescenceThicknessMapUv:"",t.sheenColorMapUv?"#define SHEEN_COLORMAP_UV "+t.sheenColorMapUv:"",t.sheenRoughnessMapUv?"#define SHEEN_ROUGHNESSMAP_UV "+t.sheenRoughnessMapUv:"",t.specularMapUv?"#define SPECULARMAP_UV "+t.specularMapUv:"",t.specularColorMapUv?"#define SPECULAR_COLORMAP_UV "+t.specularColorMapUv:"",t.specularIntensityMapUv?"#define SPECULAR_INTENSITYMAP_UV "+t.specularIntensityMapUv:"",t.transmissionMapUv?"#define TRANSMISSIONMAP_UV "+t.transmissionMapUv:"",t.thicknessMapUv?"#define THICKNESSMAP_UV "+t.thicknessMapUv:"",t.vertexTangents&&t.flatShading===!1?"#define USE_TANGENT":"",t.vertexNormals?"#define HAS_NORMAL":"",t.vertexColors?"#define USE_COLOR":"",t.vertexAlphas?"#define USE_COLOR_ALPHA":"",t.vertexUv1s?"#define USE_UV1":"",t.vertexUv2s?"#define USE_UV2":"",t.vertexUv3s?"#define USE_UV3":"",t.pointsUvs?"#define USE_POINTS_UV":"",t.flatShading?"#define FLAT_SHADED":"",t.skinning?"#define USE_SKINNING":"",t.morphTargets?"#define USE_MORPHTARGETS":"",t.morphNormals&&t.flatShading===!1?"#define USE_MORPHNORMALS":"",t.morphColors?"#define USE_MORPHCOLORS":"",t.morphTargetsCount>0?"#define MORPHTARGETS_TEXTURE_STRIDE "+t.morphTextureStride:"",t.morphTargetsCount>0?"#define MORPHTARGETS_COUNT "+t.morphTargetsCount:"",t.doubleSided?"#define DOUBLE_SIDED":"",t.flipSided?"#define FLIP_SIDED":"",t.shadowMapEnabled?"#define USE_SHADOWMAP":"",t.shadowMapEnabled?"#define "+l:"",t.sizeAttenuation?"#define USE_SIZEATTENUATION":"",t.numLightProbes>0?"#define USE_LIGHT_PROBES":"",t.logarithmicDepthBuffer?"#define USE_LOGARITHMIC_DEPTH_BUFFER":"",t.reversedDepthBuffer?"#define USE_REVERSED_DEPTH_BUFFER":"","uniform mat4 modelMatrix;","uniform mat4 modelViewMatrix;","uniform mat4 projectionMatrix;","uniform mat4 viewMatrix;","uniform mat3 normalMatrix;","uniform vec3 cameraPosition;","uniform bool isOrthographic;","#ifdef USE_INSTANCING","	attribute mat4 instanceMatrix;","#endif","#ifdef USE_INSTANCING_COLOR","	attribute vec3 instanceColor;","#endif","#ifdef USE_INSTANCING_MORPH","	uniform sampler2D morphTexture;","#endif","attribute vec3 position;","attribute vec3 normal;","attribute vec2 uv;","#ifdef USE_UV1","	attribute vec2 uv1;","#endif","#ifdef USE_UV2","	attribute vec2 uv2;","#endif","#ifdef USE_UV3","	attribute vec2 uv3;","#endif","#ifdef USE_TANGENT","	attribute vec4 tangent;","#endif","#if defined( USE_COLOR_ALPHA )","	attribute vec4 color;","#elif defined( USE_COLOR )","	attribute vec3 color;","#endif","#ifdef USE_SKINNING","	attribute vec4 skinIndex;","	attribute vec4 skinWeight;","#endif",`
`].filter(Za).join(`
`),m=[Xm(t),"#define SHADER_TYPE "+t.shaderType,"#define SHADER_NAME "+t.shaderName,d,t.useFog&&t.fog?"#define USE_FOG":"",t.useFog&&t.fogExp2?"#define FOG_EXP2":"",t.alphaToCoverage?"#define ALPHA_TO_COVERAGE":"",t.map?"#define USE_MAP":"",t.matcap?"#define USE_MATCAP":"",t.envMap?"#define USE_ENVMAP":"",t.envMap?"#define "+c:"",t.envMap?"#define "+h:"",t.envMap?"#define "+u:"",t.envMapPMREM?"#define ENVMAP_MAX_LOD "+t.envMapMaxLod+".0":"",t.envMapPMREM?"#define ENVMAP_SIZE "+t.envMapSize+".0":"",t.lightMap?"#define USE_LIGHTMAP":"",t.aoMap?"#define USE_AOMAP":"",t.bumpMap?"#define USE_BUMPMAP":"",t.normalMap?"#define USE_NORMALMAP":"",t.normalMapObjectSpace?"#define USE_NORMALMAP_OBJECTSPACE":"",t.normalMapTangentSpace?"#define USE_NORMALMAP_TANGENTSPACE":"",t.packedNormalMap?"#define USE_PACKED_NORMALMAP":"",t.emissiveMap?"#define USE_EMISSIVEMAP":"",t.anisotropy?"#define USE_ANISOTROPY":"",t.anisotropyMap?"#define USE_ANISOTROPYMAP":"",t.clearcoat?"#define USE_CLEARCOAT":"",t.clearcoatMap?"#define USE_CLEARCOATMAP":"",t.clearcoatRoughnessMap?"#define USE_CLEARCOAT_ROUGHNESSMAP":"",t.clearcoatNormalMap?"#define USE_CLEARCOAT_NORMALMAP":"",t.diffuseRoughness?"#define USE_DIFFUSE_ROUGHNESS":"",t.diffuseRoughnessMap?"#define USE_DIFFUSE_ROUGHNESSMAP":"",t.dispersion?"#define USE_DISPERSION":"",t.retroreflection?"#define USE_RETROREFLECTION":"",t.iridescence?"#define USE_IRIDESCENCE":"",t.iridescenceMap?"#define USE_IRIDESCENCEMAP":"",t.iridescenceThicknessMap?"#define USE_IRIDESCENCE_THICKNESSMAP":"",t.specularMap?"#define USE_SPECULARMAP":"",t.specularColorMap?"#define USE_SPECULAR_COLORMAP":"",t.specularIntensityMap?"#define USE_SPECULAR_INTENSITYMAP":"",t.roughnessMap?"#define USE_ROUGHNESSMAP":"",t.metalnessMap?"#define USE_METALNESSMAP":"",t.alphaMap?"#define USE_ALPHAMAP":"",t.alphaTest?"#define USE_ALPHATEST":"",t.alphaHash?"#define USE_ALPHAHASH":"",t.sheen?"#define USE_SHEEN":"",t.sheenColorMap?"#define USE_SHEEN_COLORMAP":"",t.sheenRoughnessMap?"#define USE_SHEEN_ROUGHNESSMAP":"",t.transmission?"#define USE_TRANSMISSION":"",t.transmissionMap?"#define USE_TRANSMISSIONMAP":"",t.thicknessMap?"#define USE_THICKNESSMAP":"",t.vertexTangents&&t.flatShading===!1?"#define USE_TANGENT":"",t.vertexColors||t.instancingColor?"#define USE_COLOR":"",t.vertexAlphas||t.batchingColor?"#define USE_COLOR_ALPHA":"",t.vertexUv1s?"#define USE_UV1":"",t.vertexUv2s?"#define USE_UV2":"",t.vertexUv3s?"#define USE_UV3":"",t.pointsUvs?"#define USE_POINTS_UV":"",t.gradientMap?"#define USE_GRADIENTMAP":"",t.flatShading?"#define FLAT_SHADED":"",t.doubleSided?"#define DOUBLE_SIDED":"",t.flipSided?"#define FLIP_SIDED":"",t.shadowMapEnabled?"#define USE_SHADOWMAP":"",t.shadowMapEnabled?"#define "+l:"",t.premultipliedAlpha?"#define PREMULTIPLIED_ALPHA":"",t.numLightProbes>0?"#define USE_LIGHT_PROBES":"",t.decodeVideoTexture?"#define DECODE_VIDEO_TEXTURE":"",t.decodeVideoTextureEmissive?"#define DECODE_VIDEO_TEXTURE_EMISSIVE":"",t.logarithmicDepthBuffer?"#define USE_LOGARITHMIC_DEPTH_BUFFER":"",t.reversedDepthBuffer?"#define USE_REVERSED_DEPTH_BUFFER":"","uniform mat4 viewMatrix;","uniform vec3 cameraPosition;","uniform bool isOrthographic;",t.toneMapping!==es?"#define TONE_MAPPING":"",t.toneMapping!==es?yt.tonemapping_pars_fragment:"",t.toneMapping!==es?yb("toneMapping",t.toneMapping):"",t.dithering?"#define DITHERING":"",t.opaque?"#define OPAQUE":"",yt.colorspace_pars_fragment,xb("linearToOutputTexel",t.outputColorSpace),vb(),t.useDepthPacking?"#define DEPTH_PACKING "+t.depthPacking:"",`
`].filter(Za).join(`
`)),o=bf(o),o=Vm(o,t),o=Hm(o,t),a=bf(a),a=Vm(a,t),a=Hm(a,t),o=Wm(o),a=Wm(a),t.isRawShaderMaterial!==!0&&(g=`#version 300 es
`,x=[f,"#define attribute in","#define varying out","#define texture2D texture"].join(`
`)+`
`+x,m=["#define varying in",t.glslVersion===lf?"":"layout(location = 0) out highp vec4 pc_fragColor;",t.glslVersion===lf?"":"#define gl_FragColor pc_fragColor","#define gl_FragDepthEXT gl_FragDepth","#define texture2D texture","#define textureCube texture","#define texture2DProj textureProj","#define texture2DLodEXT textureLod","#define texture2DProjLodEXT textureProjLod","#define textureCubeLodEXT textureLod","#define texture2DGradEXT textureGrad","#define texture2DProjGradEXT textureProjGrad","#define textureCubeGradEXT textureGrad"].join(`
`)+`
`+m);let v=g+x+o,E=g+m+a,_=zm(s,s.VERTEX_SHADER,v),R=zm(s,s.FRAGMENT_SHADER,E);s.attachShader(p,_),s.attachShader(p,R),t.index0AttributeName!==void 0?s.bindAttribLocation(p,0,t.index0AttributeName):t.hasPositionAttribute===!0&&s.bindAttribLocation(p,0,"position"),s.linkProgram(p);function A(I){if(i.debug.checkShaderErrors){let P=s.getProgramInfoLog(p)||"",z=s.getShaderInfoLog(_)||"",V=s.getShaderInfoLog(R)||"",N=P.trim(),B=z.trim(),X=V.trim(),G=!0,le=!0;if(s.getProgramParameter(p,s.LINK_STATUS)===!1)if(G=!1,typeof i.debug.onShaderError=="function")i.debug.onShaderError(s,p,_,R);else{let Y=Gm(s,_,"vertex"),K=Gm(s,R,"fragment");at("WebGLProgram: Shader Error "+s.getError()+" - VALIDATE_STATUS "+s.getProgramParameter(p,s.VALIDATE_STATUS)+`

Material Name: `+I.name+`
Material Type: `+I.type+`

Program Info Log: `+N+`
`+Y+`
`+K)}else N!==""?tt("WebGLProgram: Program Info Log:",N):(B===""||X==="")&&(le=!1);le&&(I.diagnostics={runnable:G,programLog:N,vertexShader:{log:B,prefix:x},fragmentShader:{log:X,prefix:m}})}s.deleteShader(_),s.deleteShader(R),y=new Co(s,p),b=bb(s,p)}let y;this.getUniforms=function(){return y===void 0&&A(this),y};let b;this.getAttributes=function(){return b===void 0&&A(this),b};let U=t.rendererExtensionParallelShaderCompile===!1;return this.isReady=function(){return U===!1&&(U=s.getProgramParameter(p,db)),U},this.destroy=function(){n.releaseStatesOfProgram(this),s.deleteProgram(p),this.program=void 0},this.type=t.shaderType,this.name=t.shaderName,this.id=pb++,this.cacheKey=e,this.usedTimes=1,this.program=p,this.vertexShader=_,this.fragmentShader=R,this}var Ub=0,wf=class{constructor(){this.shaderCache=new Map,this.materialCache=new Map}update(e,t,n){let s=this._getShaderCacheForMaterial(e);return s.has(t)===!1&&(s.add(t),t.usedTimes++),s.has(n)===!1&&(s.add(n),n.usedTimes++),this}remove(e){let t=this.materialCache.get(e);for(let n of t)n.usedTimes--,n.usedTimes===0&&this.shaderCache.delete(n.code);return this.materialCache.delete(e),this}getVertexShaderStage(e){return this._getShaderStage(e.vertexShader)}getFragmentShaderStage(e){return this._getShaderStage(e.fragmentShader)}dispose(){this.shaderCache.clear(),this.materialCache.clear()}_getShaderCacheForMaterial(e){let t=this.materialCache,n=t.get(e);return n===void 0&&(n=new Set,t.set(e,n)),n}_getShaderStage(e){let t=this.shaderCache,n=t.get(e);return n===void 0&&(n=new Af(e),t.set(e,n)),n}},Af=class{constructor(e){this.id=Ub++,this.code=e,this.usedTimes=0}};function Fb(i){return i===Js||i===qa||i===Ya}function Ob(i,e,t,n,s,r){let o=new ho,a=new wf,l=new Set,c=[],h=new Map,u=n.logarithmicDepthBuffer,f={MeshDepthMaterial:"depth",MeshDistanceMaterial:"distance",MeshNormalMaterial:"normal",MeshBasicMaterial:"basic",MeshLambertMaterial:"lambert",MeshPhongMaterial:"phong",MeshToonMaterial:"toon",MeshStandardMaterial:"physical",MeshPhysicalMaterial:"physical",MeshMatcapMaterial:"matcap",LineBasicMaterial:"basic",LineDashedMaterial:"dashed",PointsMaterial:"points",ShadowMaterial:"shadow",SpriteMaterial:"sprite"};function d(y){return l.add(y),y===0?"uv":`uv${y}`}function p(y,b,U,I,P,z){let V=I.fog,N=P.geometry,B=y.isMeshStandardMaterial||y.isMeshLambertMaterial||y.isMeshPhongMaterial?I.environment:null,X=y.isMeshStandardMaterial||y.isMeshLambertMaterial&&!y.envMap||y.isMeshPhongMaterial&&!y.envMap,G=e.get(y.envMap||B,X),le=f[y.type],Y=n.precision;y.precision!==null&&(Y=n.getMaxPrecision(y.precision),Y!==y.precision&&tt("WebGLProgram.getParameters:",y.precision,"not supported, using",Y,"instead."));let K=N.morphAttributes.position||N.morphAttributes.normal||N.morphAttributes.color,ee=K!==void 0?K.length:0,fe=0;N.morphAttributes.position!==void 0&&(fe=1),N.morphAttributes.normal!==void 0&&(fe=2),N.morphAttributes.color!==void 0&&(fe=3);let he,j,ge,_e;if(le){let De=ns[le];he=De.vertexShader,j=De.fragmentShader}else{he=y.vertexShader,j=y.fragmentShader;let De=a.getVertexShaderStage(y),gt=a.getFragmentShaderStage(y);a.update(y,De,gt),ge=De.id,_e=gt.id}let Le=i.getRenderTarget(),be=i.state.buffers.depth.getReversed(),He=P.isInstancedMesh===!0,st=P.isBatchedMesh===!0,Ke=!!y.map,rt=!!y.matcap,it=!!G,re=it&&G.isPMREMTexture===!0,ye=!!y.aoMap,xe=!!y.lightMap,Be=!!y.bumpMap&&y.wireframe===!1,Ne=!!y.normalMap,nt=!!y.displacementMap,ze=!!y.emissiveMap,mt=!!y.metalnessMap,ft=!!y.roughnessMap,xt=y.anisotropy>0,F=y.clearcoat>0,Me=y.diffuseRoughness>0,qe=y.dispersion>0,ht=y.retroreflectivity>0,we=y.iridescence>0,Dt=y.sheen>0,Ze=y.transmission>0,et=xt&&!!y.anisotropyMap,C=F&&!!y.clearcoatMap,S=F&&!!y.clearcoatNormalMap,q=F&&!!y.clearcoatRoughnessMap,de=Me&&!!y.diffuseRoughnessMap,oe=we&&!!y.iridescenceMap,Se=we&&!!y.iridescenceThicknessMap,Ae=Dt&&!!y.sheenColorMap,te=Dt&&!!y.sheenRoughnessMap,ie=!!y.specularMap,me=!!y.specularColorMap,O=!!y.specularIntensityMap,se=Ze&&!!y.transmissionMap,ne=Ze&&!!y.thicknessMap,Ce=!!y.gradientMap,ve=!!y.alphaMap,Re=y.alphaTest>0,je=!!y.alphaHash,lt=!!y.extensions,ue=es;y.toneMapped&&(Le===null||Le.isXRRenderTarget===!0)&&(ue=i.toneMapping);let Ye=re?G.isCompressedCubeTexture?G.image[0].mipmaps:G.mipmaps:null,ct={shaderID:le,shaderType:y.type,shaderName:y.name,vertexShader:he,fragmentShader:j,defines:y.defines,customVertexShaderID:ge,customFragmentShaderID:_e,isRawShaderMaterial:y.isRawShaderMaterial===!0,glslVersion:y.glslVersion,precision:Y,batching:st,batchingColor:st&&P._colorsTexture!==null,instancing:He,instancingColor:He&&P.instanceColor!==null,instancingMorph:He&&P.morphTexture!==null,outputColorSpace:Le===null?i.outputColorSpace:Le.isXRRenderTarget===!0?Le.texture.colorSpace:Tt.workingColorSpace,alphaToCoverage:!!y.alphaToCoverage,map:Ke,matcap:rt,envMap:it,envMapMode:it&&G.mapping,envMapPMREM:re,envMapMaxLod:re?Ye.length-1:null,envMapSize:re?Ye[0].width:null,aoMap:ye,lightMap:xe,bumpMap:Be,normalMap:Ne,displacementMap:nt,emissiveMap:ze,normalMapObjectSpace:Ne&&y.normalMapType===am,normalMapTangentSpace:Ne&&y.normalMapType===ih,packedNormalMap:Ne&&y.normalMapType===ih&&Fb(y.normalMap.format),metalnessMap:mt,roughnessMap:ft,anisotropy:xt,anisotropyMap:et,clearcoat:F,clearcoatMap:C,clearcoatNormalMap:S,clearcoatRoughnessMap:q,diffuseRoughness:Me,diffuseRoughnessMap:de,dispersion:qe,retroreflection:ht,iridescence:we,iridescenceMap:oe,iridescenceThicknessMap:Se,sheen:Dt,sheenColorMap:Ae,sheenRoughnessMap:te,specularMap:ie,specularColorMap:me,specularIntensityMap:O,transmission:Ze,transmissionMap:se,thicknessMap:ne,gradientMap:Ce,opaque:y.transparent===!1&&y.blending===wo&&y.alphaToCoverage===!1,alphaMap:ve,alphaTest:Re,alphaHash:je,combine:y.combine,mapUv:Ke&&d(y.map.channel),aoMapUv:ye&&d(y.aoMap.channel),lightMapUv:xe&&d(y.lightMap.channel),bumpMapUv:Be&&d(y.bumpMap.channel),normalMapUv:Ne&&d(y.normalMap.channel),displacementMapUv:nt&&d(y.displacementMap.channel),emissiveMapUv:ze&&d(y.emissiveMap.channel),metalnessMapUv:mt&&d(y.metalnessMap.channel),roughnessMapUv:ft&&d(y.roughnessMap.channel),anisotropyMapUv:et&&d(y.anisotropyMap.channel),clearcoatMapUv:C&&d(y.clearcoatMap.channel),clearcoatNormalMapUv:S&&d(y.clearcoatNormalMap.channel),clearcoatRoughnessMapUv:q&&d(y.clearcoatRoughnessMap.channel),diffuseRoughnessMapUv:de&&d(y.diffuseRoughnessMap.channel),iridescenceMapUv:oe&&d(y.iridescenceMap.channel),iridescenceThicknessMapUv:Se&&d(y.iridescenceThicknessMap.channel),sheenColorMapUv:Ae&&d(y.sheenColorMap.channel),sheenRoughnessMapUv:te&&d(y.sheenRoughnessMap.channel),specularMapUv:ie&&d(y.specularMap.channel),specularColorMapUv:me&&d(y.specularColorMap.channel),specularIntensityMapUv:O&&d(y.specularIntensityMap.channel),transmissionMapUv:se&&d(y.transmissionMap.channel),thicknessMapUv:ne&&d(y.thicknessMap.channel),alphaMapUv:ve&&d(y.alphaMap.channel),vertexTangents:!!N.attributes.tangent&&(Ne||xt),vertexNormals:!!N.attributes.normal,vertexColors:y.vertexColors,vertexAlphas:y.vertexColors===!0&&!!N.attributes.color&&N.attributes.color.itemSize===4,pointsUvs:P.isPoints===!0&&!!N.attributes.uv&&(Ke||ve),fog:!!V,useFog:y.fog===!0,fogExp2:!!V&&V.isFogExp2,flatShading:y.wireframe===!1&&(y.flatShading===!0||N.attributes.normal===void 0&&Ne===!1&&(y.isMeshLambertMaterial||y.isMeshPhongMaterial||y.isMeshStandardMaterial||y.isMeshPhysicalMaterial)),sizeAttenuation:y.sizeAttenuation===!0,logarithmicDepthBuffer:u,reversedDepthBuffer:be,skinning:P.isSkinnedMesh===!0,hasPositionAttribute:N.attributes.position!==void 0,morphTargets:N.morphAttributes.position!==void 0,morphNormals:N.morphAttributes.normal!==void 0,morphColors:N.morphAttributes.color!==void 0,morphTargetsCount:ee,morphTextureStride:fe,numSunLights:b.sun.length,numDirLights:b.directional.length,numPointLights:b.point.length,numSpotLights:b.spot.length,numSpotLightMaps:b.spotLightMap.length,numRectAreaLights:b.rectArea.length,numHemiLights:b.hemi.length,numSunLightShadows:b.sunShadowMap.length,numDirLightShadows:b.directionalShadowMap.length,numPointLightShadows:b.pointShadowMap.length,numSpotLightShadows:b.spotShadowMap.length,numSpotLightShadowsWithMaps:b.numSpotLightShadowsWithMaps,numLightProbes:b.numLightProbes,numLightProbeGrids:z.filter(De=>De.texture!==null).length,numClippingPlanes:r.numPlanes,numClipIntersection:r.numIntersection,dithering:y.dithering,shadowMapEnabled:i.shadowMap.enabled&&U.length>0,shadowMapType:i.shadowMap.type,toneMapping:ue,decodeVideoTexture:Ke&&y.map.isVideoTexture===!0&&Tt.getTransfer(y.map.colorSpace)===Ft,decodeVideoTextureEmissive:ze&&y.emissiveMap.isVideoTexture===!0&&Tt.getTransfer(y.emissiveMap.colorSpace)===Ft,premultipliedAlpha:y.premultipliedAlpha,doubleSided:y.side===_n,flipSided:y.side===Rn,useDepthPacking:y.depthPacking>=0,depthPacking:y.depthPacking||0,index0AttributeName:y.index0AttributeName,extensionClipCullDistance:lt&&y.extensions.clipCullDistance===!0&&t.has("WEBGL_clip_cull_distance"),extensionMultiDraw:(lt&&y.extensions.multiDraw===!0||st)&&t.has("WEBGL_multi_draw"),rendererExtensionParallelShaderCompile:t.has("KHR_parallel_shader_compile"),customProgramCacheKey:y.customProgramCacheKey()};return ct.vertexUv1s=l.has(1),ct.vertexUv2s=l.has(2),ct.vertexUv3s=l.has(3),l.clear(),ct}function x(y){let b=[];if(y.shaderID?b.push(y.shaderID):(b.push(y.customVertexShaderID),b.push(y.customFragmentShaderID)),y.defines!==void 0)for(let U in y.defines)b.push(U),b.push(y.defines[U]);return y.isRawShaderMaterial===!1&&(m(b,y),g(b,y),b.push(i.outputColorSpace)),b.push(y.customProgramCacheKey),b.join()}function m(y,b){y.push(b.precision),y.push(b.outputColorSpace),y.push(b.envMapMode),y.push(b.envMapPMREM),y.push(b.envMapMaxLod),y.push(b.envMapSize),y.push(b.mapUv),y.push(b.alphaMapUv),y.push(b.lightMapUv),y.push(b.aoMapUv),y.push(b.bumpMapUv),y.push(b.normalMapUv),y.push(b.displacementMapUv),y.push(b.emissiveMapUv),y.push(b.metalnessMapUv),y.push(b.roughnessMapUv),y.push(b.anisotropyMapUv),y.push(b.clearcoatMapUv),y.push(b.clearcoatNormalMapUv),y.push(b.clearcoatRoughnessMapUv),y.push(b.diffuseRoughnessMapUv),y.push(b.iridescenceMapUv),y.push(b.iridescenceThicknessMapUv),y.push(b.sheenColorMapUv),y.push(b.sheenRoughnessMapUv),y.push(b.specularMapUv),y.push(b.specularColorMapUv),y.push(b.specularIntensityMapUv),y.push(b.transmissionMapUv),y.push(b.thicknessMapUv),y.push(b.combine),y.push(b.fogExp2),y.push(b.sizeAttenuation),y.push(b.morphTargetsCount),y.push(b.numSunLights),y.push(b.numDirLights),y.push(b.numPointLights),y.push(b.numSpotLights),y.push(b.numSpotLightMaps),y.push(b.numHemiLights),y.push(b.numRectAreaLights),y.push(b.numSunLightShadows),y.push(b.numDirLightShadows),y.push(b.numPointLightShadows),y.push(b.numSpotLightShadows),y.push(b.numSpotLightShadowsWithMaps),y.push(b.numLightProbes),y.push(b.numLightProbeGrids),y.push(b.shadowMapType),y.push(b.toneMapping),y.push(b.numClippingPlanes),y.push(b.numClipIntersection),y.push(b.depthPacking)}function g(y,b){o.disableAll(),b.instancing&&o.enable(0),b.instancingColor&&o.enable(1),b.instancingMorph&&o.enable(2),b.matcap&&o.enable(3),b.envMap&&o.enable(4),b.normalMapObjectSpace&&o.enable(5),b.normalMapTangentSpace&&o.enable(6),b.clearcoat&&o.enable(7),b.iridescence&&o.enable(8),b.alphaTest&&o.enable(9),b.vertexColors&&o.enable(10),b.vertexAlphas&&o.enable(11),b.vertexUv1s&&o.enable(12),b.vertexUv2s&&o.enable(13),b.vertexUv3s&&o.enable(14),b.vertexTangents&&o.enable(15),b.anisotropy&&o.enable(16),b.alphaHash&&o.enable(17),b.batching&&o.enable(18),b.dispersion&&o.enable(19),b.retroreflection&&o.enable(24),b.diffuseRoughness&&o.enable(25),b.batchingColor&&o.enable(20),b.gradientMap&&o.enable(21),b.packedNormalMap&&o.enable(22),b.vertexNormals&&o.enable(23),y.push(o.mask),o.disableAll(),b.fog&&o.enable(0),b.useFog&&o.enable(1),b.flatShading&&o.enable(2),b.logarithmicDepthBuffer&&o.enable(3),b.reversedDepthBuffer&&o.enable(4),b.skinning&&o.enable(5),b.morphTargets&&o.enable(6),b.morphNormals&&o.enable(7),b.morphColors&&o.enable(8),b.premultipliedAlpha&&o.enable(9),b.shadowMapEnabled&&o.enable(10),b.doubleSided&&o.enable(11),b.flipSided&&o.enable(12),b.useDepthPacking&&o.enable(13),b.dithering&&o.enable(14),b.transmission&&o.enable(15),b.sheen&&o.enable(16),b.opaque&&o.enable(17),b.pointsUvs&&o.enable(18),b.decodeVideoTexture&&o.enable(19),b.decodeVideoTextureEmissive&&o.enable(20),b.alphaToCoverage&&o.enable(21),b.numLightProbeGrids>0&&o.enable(22),b.hasPositionAttribute&&o.enable(23),y.push(o.mask)}function v(y){let b=f[y.type],U;if(b){let I=ns[b];U=Tm.clone(I.uniforms)}else U=y.uniforms;return U}function E(y,b){let U=h.get(b);return U!==void 0?++U.usedTimes:(U=new Db(i,b,y,s),c.push(U),h.set(b,U)),U}function _(y){if(--y.usedTimes===0){let b=c.indexOf(y);c[b]=c[c.length-1],c.pop(),h.delete(y.cacheKey),y.destroy()}}function R(y){a.remove(y)}function A(){a.dispose()}return{getParameters:p,getProgramCacheKey:x,getUniforms:v,acquireProgram:E,releaseProgram:_,releaseShaderCache:R,programs:c,dispose:A}}function Bb(){let i=new WeakMap;function e(o){return i.has(o)}function t(o){let a=i.get(o);return a===void 0&&(a={},i.set(o,a)),a}function n(o){i.delete(o)}function s(o,a,l){i.get(o)[a]=l}function r(){i=new WeakMap}return{has:e,get:t,remove:n,update:s,dispose:r}}function zb(i,e){return i.groupOrder!==e.groupOrder?i.groupOrder-e.groupOrder:i.renderOrder!==e.renderOrder?i.renderOrder-e.renderOrder:i.material.id!==e.material.id?i.material.id-e.material.id:i.materialVariant!==e.materialVariant?i.materialVariant-e.materialVariant:i.z!==e.z?i.z-e.z:i.id-e.id}function qm(i,e){return i.groupOrder!==e.groupOrder?i.groupOrder-e.groupOrder:i.renderOrder!==e.renderOrder?i.renderOrder-e.renderOrder:i.z!==e.z?e.z-i.z:i.id-e.id}function Ym(){let i=[],e=0,t=[],n=[],s=[];function r(){e=0,t.length=0,n.length=0,s.length=0}function o(f){let d=0;return f.isInstancedMesh&&(d+=2),f.isSkinnedMesh&&(d+=1),d}function a(f,d,p,x,m,g){let v=i[e];return v===void 0?(v={id:f.id,object:f,geometry:d,material:p,materialVariant:o(f),groupOrder:x,renderOrder:f.renderOrder,z:m,group:g},i[e]=v):(v.id=f.id,v.object=f,v.geometry=d,v.material=p,v.materialVariant=o(f),v.groupOrder=x,v.renderOrder=f.renderOrder,v.z=m,v.group=g),e++,v}function l(f,d,p,x,m,g,v){v.reversedDepth===!0&&(m=-m);let E=a(f,d,p,x,m,g);p.transmission>0?n.push(E):p.transparent===!0?s.push(E):t.push(E)}function c(f,d,p,x,m,g){let v=a(f,d,p,x,m,g);p.transmission>0?n.unshift(v):p.transparent===!0?s.unshift(v):t.unshift(v)}function h(f,d){t.length>1&&t.sort(f||zb),n.length>1&&n.sort(d||qm),s.length>1&&s.sort(d||qm)}function u(){for(let f=e,d=i.length;f<d;f++){let p=i[f];if(p.id===null)break;p.id=null,p.object=null,p.geometry=null,p.material=null,p.group=null}}return{opaque:t,transmissive:n,transparent:s,init:r,push:l,unshift:c,finish:u,sort:h}}function kb(){let i=new WeakMap;function e(n,s){let r=i.get(n),o;return r===void 0?(o=new Ym,i.set(n,[o])):s>=r.length?(o=new Ym,r.push(o)):o=r[s],o}function t(){i=new WeakMap}return{get:e,dispose:t}}function Gb(){let i={};return{get:function(e){if(i[e.id]!==void 0)return i[e.id];let t;switch(e.type){case"SunLight":case"DirectionalLight":t={direction:new k,color:new Ve};break;case"SpotLight":t={position:new k,direction:new k,color:new Ve,distance:0,coneCos:0,penumbraCos:0,decay:0};break;case"PointLight":t={position:new k,color:new Ve,distance:0,decay:0};break;case"HemisphereLight":t={direction:new k,skyColor:new Ve,groundColor:new Ve};break;case"RectAreaLight":t={color:new Ve,position:new k,halfWidth:new k,halfHeight:new k};break}return i[e.id]=t,t}}}function Vb(){let i={};return{get:function(e){if(i[e.id]!==void 0)return i[e.id];let t;switch(e.type){case"SunLight":case"DirectionalLight":t={shadowIntensity:1,shadowBias:0,shadowNormalBias:0,shadowRadius:1,shadowMapSize:new Ee};break;case"SpotLight":t={shadowIntensity:1,shadowBias:0,shadowNormalBias:0,shadowRadius:1,shadowMapSize:new Ee};break;case"PointLight":t={shadowIntensity:1,shadowBias:0,shadowNormalBias:0,shadowRadius:1,shadowMapSize:new Ee,shadowCameraNear:1,shadowCameraFar:1e3};break}return i[e.id]=t,t}}}var Hb=0;function Wb(i,e){return(e.castShadow?2:0)-(i.castShadow?2:0)+(e.map?1:0)-(i.map?1:0)}function Xb(i){let e=new Gb,t=Vb(),n={version:0,hash:{sunLength:-1,directionalLength:-1,pointLength:-1,spotLength:-1,rectAreaLength:-1,hemiLength:-1,numSunShadows:-1,numDirectionalShadows:-1,numPointShadows:-1,numSpotShadows:-1,numSpotMaps:-1,numLightProbes:-1},ambient:[0,0,0],probe:[],sun:[],sunShadow:[],sunShadowMap:[],sunShadowMatrix:[],sunShadowCascade:[],directional:[],directionalShadow:[],directionalShadowMap:[],directionalShadowMatrix:[],spot:[],spotLightMap:[],spotShadow:[],spotShadowMap:[],spotLightMatrix:[],rectArea:[],rectAreaLTC1:null,rectAreaLTC2:null,point:[],pointShadow:[],pointShadowMap:[],pointShadowMatrix:[],hemi:[],numSpotLightShadowsWithMaps:0,numLightProbes:0};for(let c=0;c<9;c++)n.probe.push(new k);let s=new k,r=new Rt,o=new Rt;function a(c){let h=0,u=0,f=0;for(let z=0;z<9;z++)n.probe[z].set(0,0,0);let d=0,p=0,x=0,m=0,g=0,v=0,E=0,_=0,R=0,A=0,y=0,b=0,U=0,I=0;c.sort(Wb);for(let z=0,V=c.length;z<V;z++){let N=c[z],B=N.color,X=N.intensity,G=N.distance,le=null;if(N.shadow&&N.shadow.map&&(N.shadow.map.texture.format===Js?le=N.shadow.map.texture:le=N.shadow.map.depthTexture||N.shadow.map.texture),N.isAmbientLight)h+=B.r*X,u+=B.g*X,f+=B.b*X;else if(N.isLightProbe){for(let Y=0;Y<9;Y++)n.probe[Y].addScaledVector(N.sh.coefficients[Y],X);I++}else if(N.isSunLight){let Y=e.get(N);if(Y.color.copy(N.color).multiplyScalar(N.intensity),N.castShadow){let K=N.shadow,ee=t.get(N);ee.shadowIntensity=K.intensity,ee.shadowBias=K.bias,ee.shadowNormalBias=K.normalBias,ee.shadowRadius=K.radius,ee.shadowMapSize.copy(K.mapSize).multiply(K.getFrameExtents()),n.sunShadow[p]=ee,n.sunShadowMap[p]=le;let fe=K.getViewportCount();for(let he=0;he<fe;he++)n.sunShadowMatrix[x+he]=K.getMatrix(he),n.sunShadowCascade[x+he]=K._cascadeData[he];x+=fe,p++}n.sun[d]=Y,d++}else if(N.isDirectionalLight){let Y=e.get(N);if(Y.color.copy(N.color).multiplyScalar(N.intensity),N.castShadow){let K=N.shadow,ee=t.get(N);ee.shadowIntensity=K.intensity,ee.shadowBias=K.bias,ee.shadowNormalBias=K.normalBias,ee.shadowRadius=K.radius,ee.shadowMapSize=K.mapSize,n.directionalShadow[m]=ee,n.directionalShadowMap[m]=le,n.directionalShadowMatrix[m]=N.shadow.matrix,R++}n.directional[m]=Y,m++}else if(N.isSpotLight){let Y=e.get(N);Y.position.setFromMatrixPosition(N.matrixWorld),Y.color.copy(B).multiplyScalar(X),Y.distance=G,Y.coneCos=Math.cos(N.angle),Y.penumbraCos=Math.cos(N.angle*(1-N.penumbra)),Y.decay=N.decay,n.spot[v]=Y;let K=N.shadow;if(N.map&&(n.spotLightMap[b]=N.map,b++,K.updateMatrices(N),N.castShadow&&U++),n.spotLightMatrix[v]=K.matrix,N.castShadow){let ee=t.get(N);ee.shadowIntensity=K.intensity,ee.shadowBias=K.bias,ee.shadowNormalBias=K.normalBias,ee.shadowRadius=K.radius,ee.shadowMapSize=K.mapSize,n.spotShadow[v]=ee,n.spotShadowMap[v]=le,y++}v++}else if(N.isRectAreaLight){let Y=e.get(N);Y.color.copy(B).multiplyScalar(X),Y.halfWidth.set(N.width*.5,0,0),Y.halfHeight.set(0,N.height*.5,0),n.rectArea[E]=Y,E++}else if(N.isPointLight){let Y=e.get(N);if(Y.color.copy(N.color).multiplyScalar(N.intensity),Y.distance=N.distance,Y.decay=N.decay,N.castShadow){let K=N.shadow,ee=t.get(N);ee.shadowIntensity=K.intensity,ee.shadowBias=K.bias,ee.shadowNormalBias=K.normalBias,ee.shadowRadius=K.radius,ee.shadowMapSize=K.mapSize,ee.shadowCameraNear=K.camera.near,ee.shadowCameraFar=K.camera.far,n.pointShadow[g]=ee,n.pointShadowMap[g]=le,n.pointShadowMatrix[g]=N.shadow.matrix,A++}n.point[g]=Y,g++}else if(N.isHemisphereLight){let Y=e.get(N);Y.skyColor.copy(N.color).multiplyScalar(X),Y.groundColor.copy(N.groundColor).multiplyScalar(X),n.hemi[_]=Y,_++}}E>0&&(i.has("OES_texture_float_linear")===!0?(n.rectAreaLTC1=Oe.LTC_FLOAT_1,n.rectAreaLTC2=Oe.LTC_FLOAT_2):(n.rectAreaLTC1=Oe.LTC_HALF_1,n.rectAreaLTC2=Oe.LTC_HALF_2)),n.ambient[0]=h,n.ambient[1]=u,n.ambient[2]=f;let P=n.hash;(P.sunLength!==d||P.directionalLength!==m||P.pointLength!==g||P.spotLength!==v||P.rectAreaLength!==E||P.hemiLength!==_||P.numSunShadows!==p||P.numDirectionalShadows!==R||P.numPointShadows!==A||P.numSpotShadows!==y||P.numSpotMaps!==b||P.numLightProbes!==I)&&(n.sun.length=d,n.directional.length=m,n.spot.length=v,n.rectArea.length=E,n.point.length=g,n.hemi.length=_,n.sunShadow.length=p,n.sunShadowMap.length=p,n.sunShadowMatrix.length=x,n.sunShadowCascade.length=x,n.directionalShadow.length=R,n.directionalShadowMap.length=R,n.directionalShadowMatrix.length=R,n.pointShadow.length=A,n.pointShadowMap.length=A,n.pointShadowMatrix.length=A,n.spotShadow.length=y,n.spotShadowMap.length=y,n.spotLightMatrix.length=y+b-U,n.spotLightMap.length=b,n.numSpotLightShadowsWithMaps=U,n.numLightProbes=I,P.sunLength=d,P.directionalLength=m,P.pointLength=g,P.spotLength=v,P.rectAreaLength=E,P.hemiLength=_,P.numSunShadows=p,P.numDirectionalShadows=R,P.numPointShadows=A,P.numSpotShadows=y,P.numSpotMaps=b,P.numLightProbes=I,n.version=Hb++)}function l(c,h){let u=0,f=0,d=0,p=0,x=0,m=0,g=h.matrixWorldInverse;for(let v=0,E=c.length;v<E;v++){let _=c[v];if(_.isSunLight){let R=n.sun[u];R.direction.setFromMatrixPosition(_.matrixWorld),R.direction.transformDirection(g),u++}else if(_.isDirectionalLight){let R=n.directional[f];R.direction.setFromMatrixPosition(_.matrixWorld),s.setFromMatrixPosition(_.target.matrixWorld),R.direction.sub(s),R.direction.transformDirection(g),f++}else if(_.isSpotLight){let R=n.spot[p];R.position.setFromMatrixPosition(_.matrixWorld),R.position.applyMatrix4(g),R.direction.setFromMatrixPosition(_.matrixWorld),s.setFromMatrixPosition(_.target.matrixWorld),R.direction.sub(s),R.direction.transformDirection(g),p++}else if(_.isRectAreaLight){let R=n.rectArea[x];R.position.setFromMatrixPosition(_.matrixWorld),R.position.applyMatrix4(g),o.identity(),r.copy(_.matrixWorld),r.premultiply(g),o.extractRotation(r),R.halfWidth.set(_.width*.5,0,0),R.halfHeight.set(0,_.height*.5,0),R.halfWidth.applyMatrix4(o),R.halfHeight.applyMatrix4(o),x++}else if(_.isPointLight){let R=n.point[d];R.position.setFromMatrixPosition(_.matrixWorld),R.position.applyMatrix4(g),d++}else if(_.isHemisphereLight){let R=n.hemi[m];R.direction.setFromMatrixPosition(_.matrixWorld),R.direction.transformDirection(g),m++}}}return{setup:a,setupView:l,state:n}}function $m(i){let e=new Xb(i),t=[],n=[],s=[];function r(u){h.camera=u,t.length=0,n.length=0,s.length=0}function o(u){u.isLightProbeGrid?s.push(u):t.push(u)}function a(u){n.push(u)}function l(){e.setup(t),s.sort((u,f)=>u.priority-f.priority||u.id-f.id)}function c(u){e.setupView(t,u)}let h={lightsArray:t,shadowsArray:n,lightProbeGridArray:s,camera:null,lights:e,transmissionRenderTarget:{},textureUnits:0};return{init:r,state:h,setupLights:l,setupLightsView:c,pushLight:o,pushShadow:a}}function qb(i){let e=new WeakMap;function t(s,r=0){let o=e.get(s),a;return o===void 0?(a=new $m(i),e.set(s,[a])):r>=o.length?(a=new $m(i),o.push(a)):a=o[r],a}function n(){e=new WeakMap}return{get:t,dispose:n}}var Yb=`void main() {
	gl_Position = vec4( position, 1.0 );
}`,$b=`uniform sampler2D shadow_pass;
uniform vec2 resolution;
uniform float radius;
void main() {
	const float samples = float( VSM_SAMPLES );
	float mean = 0.0;
	float squared_mean = 0.0;
	float uvStride = samples <= 1.0 ? 0.0 : 2.0 / ( samples - 1.0 );
	float uvStart = samples <= 1.0 ? 0.0 : - 1.0;
	for ( float i = 0.0; i < samples; i ++ ) {
		float uvOffset = uvStart + i * uvStride;
		#ifdef HORIZONTAL_PASS
			vec2 distribution = texture2D( shadow_pass, ( gl_FragCoord.xy + vec2( uvOffset, 0.0 ) * radius ) / resolution ).rg;
			mean += distribution.x;
			squared_mean += distribution.y * distribution.y + distribution.x * distribution.x;
		#else
			float depth = texture2D( shadow_pass, ( gl_FragCoord.xy + vec2( 0.0, uvOffset ) * radius ) / resolution ).r;
			mean += depth;
			squared_mean += depth * depth;
		#endif
	}
	mean = mean / samples;
	squared_mean = squared_mean / samples;
	float std_dev = sqrt( max( 0.0, squared_mean - mean * mean ) );
	gl_FragColor = vec4( mean, std_dev, 0.0, 1.0 );
}`,Zb=[new k(1,0,0),new k(-1,0,0),new k(0,1,0),new k(0,-1,0),new k(0,0,1),new k(0,0,-1)],Jb=[new k(0,-1,0),new k(0,-1,0),new k(0,0,1),new k(0,0,-1),new k(0,-1,0),new k(0,-1,0)],Zm=new Rt,$a=new k,yf=new k;function Kb(i,e,t){let n=new Ws,s=new Ee,r=new Ee,o=new Qt,a=new oc,l=new ac,c={},h=t.maxTextureSize,u={[Zs]:Rn,[Rn]:Zs,[_n]:_n},f=new Si({defines:{VSM_SAMPLES:8},uniforms:{shadow_pass:{value:null},resolution:{value:new Ee},radius:{value:4}},vertexShader:Yb,fragmentShader:$b}),d=f.clone();d.defines.HORIZONTAL_PASS=1;let p=new Jt;p.setAttribute("position",new Ot(new Float32Array([-1,-1,.5,3,-1,.5,-1,3,.5]),3));let x=new xn(p,f),m=this;this.enabled=!1,this.autoUpdate=!0,this.needsUpdate=!1,this.type=mr;let g=this.type;this.render=function(A,y,b){if(m.enabled===!1||m.autoUpdate===!1&&m.needsUpdate===!1||A.length===0)return;this.type===Bp&&(tt("WebGLShadowMap: PCFSoftShadowMap has been removed. Using PCFShadowMap instead."),this.type=mr);let U=i.getRenderTarget(),I=i.getActiveCubeFace(),P=i.getActiveMipmapLevel(),z=i.state;z.setBlending(gr),z.buffers.depth.getReversed()===!0?z.buffers.color.setClear(0,0,0,0):z.buffers.color.setClear(1,1,1,1),z.buffers.depth.setTest(!0),z.setScissorTest(!1);let V=g!==this.type;V&&y.traverse(function(N){N.material&&(Array.isArray(N.material)?N.material.forEach(B=>B.needsUpdate=!0):N.material.needsUpdate=!0)});for(let N=0,B=A.length;N<B;N++){let X=A[N],G=X.shadow;if(G===void 0){tt("WebGLShadowMap:",X,"has no shadow.");continue}if(G.autoUpdate===!1&&G.needsUpdate===!1)continue;s.copy(G.mapSize);let le=G.getFrameExtents();s.multiply(le),r.copy(G.mapSize),(s.x>h||s.y>h)&&(s.x>h&&(r.x=Math.floor(h/le.x),s.x=r.x*le.x,G.mapSize.x=r.x),s.y>h&&(r.y=Math.floor(h/le.y),s.y=r.y*le.y,G.mapSize.y=r.y));let Y=i.state.buffers.depth.getReversed();if(G.camera._reversedDepth=Y,G.map===null||V===!0){if(G.map!==null&&(G.map.depthTexture!==null&&(G.map.depthTexture.dispose(),G.map.depthTexture=null),G.map.dispose()),this.type===bo){if(X.isPointLight){tt("WebGLShadowMap: VSM shadow maps are not supported for PointLights. Use PCF or BasicShadowMap instead.");continue}G.map=new si(s.x,s.y,{format:Js,type:Oi,minFilter:Pn,magFilter:Pn,generateMipmaps:!1}),G.map.texture.name=X.name+".shadowMap",G.map.depthTexture=new Ss(s.x,s.y,wi),G.map.depthTexture.name=X.name+".shadowMapDepth",G.map.depthTexture.format=gs,G.map.depthTexture.compareFunction=null,G.map.depthTexture.minFilter=pn,G.map.depthTexture.magFilter=pn}else X.isPointLight?(G.map=new Ja(s.x),G.map.depthTexture=new va(s.x,Fi)):(G.map=new si(s.x,s.y),G.map.depthTexture=new Ss(s.x,s.y,Fi)),G.map.depthTexture.name=X.name+".shadowMap",G.map.depthTexture.format=gs,this.type===mr?(G.map.depthTexture.compareFunction=Y?of:rf,G.map.depthTexture.minFilter=Pn,G.map.depthTexture.magFilter=Pn):(G.map.depthTexture.compareFunction=null,G.map.depthTexture.minFilter=pn,G.map.depthTexture.magFilter=pn);G.camera.updateProjectionMatrix()}G.map.isWebGLCubeRenderTarget!==!0&&(G.map.width!==s.x||G.map.height!==s.y)&&G.map.setSize(s.x,s.y);let K=G.map.isWebGLCubeRenderTarget?6:G.getViewportCount();X.isPointLight!==!0&&G.updateMatrices(X,b);let ee=(G.camera.layers.mask&4294967294)!==0?G.camera.layers:b.layers;for(let fe=0;fe<K;fe++){let he=G.getCamera(fe);if(X.isPointLight){let j=G.camera,ge=G.matrix,_e=X.distance||j.far;_e!==j.far&&(j.far=_e,j.updateProjectionMatrix()),$a.setFromMatrixPosition(X.matrixWorld),j.position.copy($a),yf.copy(j.position),yf.add(Zb[fe]),j.up.copy(Jb[fe]),j.lookAt(yf),j.updateMatrixWorld(),ge.makeTranslation(-$a.x,-$a.y,-$a.z),Zm.multiplyMatrices(j.projectionMatrix,j.matrixWorldInverse),G._frustum.setFromProjectionMatrix(Zm,j.coordinateSystem,j.reversedDepth)}if(G.map.isWebGLCubeRenderTarget)i.setRenderTarget(G.map,fe),i.clear();else{fe===0&&(i.setRenderTarget(G.map),i.clear());let j=G.getViewport(fe);o.set(r.x*j.x,r.y*j.y,r.x*j.z,r.y*j.w),z.viewport(o)}n=G.getFrustum(fe),_(y,b,he,X,ee,this.type)}G.isPointLightShadow!==!0&&this.type===bo&&v(G,b),G.needsUpdate=!1}g=this.type,m.needsUpdate=!1,i.setRenderTarget(U,I,P)};function v(A,y){let b=e.update(x);f.defines.VSM_SAMPLES!==A.blurSamples&&(f.defines.VSM_SAMPLES=A.blurSamples,d.defines.VSM_SAMPLES=A.blurSamples,f.needsUpdate=!0,d.needsUpdate=!0),A.mapPass===null?A.mapPass=new si(s.x,s.y,{format:Js,type:Oi}):(A.mapPass.width!==A.map.width||A.mapPass.height!==A.map.height)&&A.mapPass.setSize(A.map.width,A.map.height),f.uniforms.shadow_pass.value=A.map.depthTexture,f.uniforms.resolution.value.set(A.map.width,A.map.height),f.uniforms.radius.value=A.radius,i.setRenderTarget(A.mapPass),i.clear(),i.renderBufferDirect(y,null,b,f,x,null),d.uniforms.shadow_pass.value=A.mapPass.texture,d.uniforms.resolution.value.set(A.map.width,A.map.height),d.uniforms.radius.value=A.radius,i.setRenderTarget(A.map),i.clear(),i.renderBufferDirect(y,null,b,d,x,null)}function E(A,y,b,U){let I=null,P=b.isPointLight===!0?A.customDistanceMaterial:A.customDepthMaterial;if(P!==void 0)I=P;else if(I=b.isPointLight===!0?l:a,i.localClippingEnabled&&y.clipShadows===!0&&Array.isArray(y.clippingPlanes)&&y.clippingPlanes.length!==0||y.displacementMap&&y.displacementScale!==0||y.alphaMap&&y.alphaTest>0||y.map&&y.alphaTest>0||y.alphaToCoverage===!0){let z=I.uuid,V=y.uuid,N=c[z];N===void 0&&(N={},c[z]=N);let B=N[V];B===void 0&&(B=I.clone(),N[V]=B,y.addEventListener("dispose",R)),I=B}if(I.visible=y.visible,I.wireframe=y.wireframe,U===bo?I.side=y.shadowSide!==null?y.shadowSide:y.side:I.side=y.shadowSide!==null?y.shadowSide:u[y.side],I.alphaMap=y.alphaMap,I.alphaTest=y.alphaToCoverage===!0?.5:y.alphaTest,I.map=y.map,I.clipShadows=y.clipShadows,I.clippingPlanes=y.clippingPlanes,I.clipIntersection=y.clipIntersection,I.displacementMap=y.displacementMap,I.displacementScale=y.displacementScale,I.displacementBias=y.displacementBias,I.wireframeLinewidth=y.wireframeLinewidth,I.linewidth=y.linewidth,b.isPointLight===!0&&I.isMeshDistanceMaterial===!0){let z=i.properties.get(I);z.light=b}return I}function _(A,y,b,U,I,P){if(A.visible===!1)return;if(A.layers.test(I)&&(A.isMesh||A.isLine||A.isPoints)&&(A.castShadow||A.receiveShadow&&P===bo)&&(!A.frustumCulled||A.intersectsFrustum(n))){A.modelViewMatrix.multiplyMatrices(b.matrixWorldInverse,A.matrixWorld);let N=e.update(A),B=A.material;if(Array.isArray(B)){let X=N.groups;for(let G=0,le=X.length;G<le;G++){let Y=X[G],K=B[Y.materialIndex];if(K&&K.visible){let ee=E(A,K,U,P);A.onBeforeShadow(i,A,y,b,N,ee,Y),i.renderBufferDirect(b,null,N,ee,A,Y),A.onAfterShadow(i,A,y,b,N,ee,Y)}}}else if(B.visible){let X=E(A,B,U,P);A.onBeforeShadow(i,A,y,b,N,X,null),i.renderBufferDirect(b,null,N,X,A,null),A.onAfterShadow(i,A,y,b,N,X,null)}}let V=A.children;for(let N=0,B=V.length;N<B;N++)_(V[N],y,b,U,I,P)}function R(A){A.target.removeEventListener("dispose",R);for(let b in c){let U=c[b],I=A.target.uuid;I in U&&(U[I].dispose(),delete U[I])}}}function jb(i,e){function t(){let O=!1,se=new Qt,ne=null,Ce=new Qt(0,0,0,0);return{setMask:function(ve){ne!==ve&&!O&&(i.colorMask(ve,ve,ve,ve),ne=ve)},setLocked:function(ve){O=ve},setClear:function(ve,Re,je,lt,ue){ue===!0&&(ve*=lt,Re*=lt,je*=lt),se.set(ve,Re,je,lt),Ce.equals(se)===!1&&(i.clearColor(ve,Re,je,lt),Ce.copy(se))},reset:function(){O=!1,ne=null,Ce.set(-1,0,0,0)}}}function n(){let O=!1,se=!1,ne=null,Ce=null,ve=null;return{setReversed:function(Re){if(se!==Re){let je=e.get("EXT_clip_control");Re?je.clipControlEXT(je.LOWER_LEFT_EXT,je.ZERO_TO_ONE_EXT):je.clipControlEXT(je.LOWER_LEFT_EXT,je.NEGATIVE_ONE_TO_ONE_EXT),se=Re;let lt=ve;ve=null,this.setClear(lt)}},getReversed:function(){return se},setTest:function(Re){Re?be(i.DEPTH_TEST):He(i.DEPTH_TEST)},setMask:function(Re){ne!==Re&&!O&&(i.depthMask(Re),ne=Re)},setFunc:function(Re){if(se&&(Re=_m[Re]),Ce!==Re){switch(Re){case Gl:i.depthFunc(i.NEVER);break;case Vl:i.depthFunc(i.ALWAYS);break;case Hl:i.depthFunc(i.LESS);break;case no:i.depthFunc(i.LEQUAL);break;case Wl:i.depthFunc(i.EQUAL);break;case Xl:i.depthFunc(i.GEQUAL);break;case ql:i.depthFunc(i.GREATER);break;case Yl:i.depthFunc(i.NOTEQUAL);break;default:i.depthFunc(i.LEQUAL)}Ce=Re}},setLocked:function(Re){O=Re},setClear:function(Re){ve!==Re&&(ve=Re,se&&(Re=1-Re),i.clearDepth(Re))},reset:function(){O=!1,ne=null,Ce=null,ve=null,se=!1}}}function s(){let O=!1,se=null,ne=null,Ce=null,ve=null,Re=null,je=null,lt=null,ue=null;return{setTest:function(Ye){O||(Ye?be(i.STENCIL_TEST):He(i.STENCIL_TEST))},setMask:function(Ye){se!==Ye&&!O&&(i.stencilMask(Ye),se=Ye)},setFunc:function(Ye,ct,De){(ne!==Ye||Ce!==ct||ve!==De)&&(i.stencilFunc(Ye,ct,De),ne=Ye,Ce=ct,ve=De)},setOp:function(Ye,ct,De){(Re!==Ye||je!==ct||lt!==De)&&(i.stencilOp(Ye,ct,De),Re=Ye,je=ct,lt=De)},setLocked:function(Ye){O=Ye},setClear:function(Ye){ue!==Ye&&(i.clearStencil(Ye),ue=Ye)},reset:function(){O=!1,se=null,ne=null,Ce=null,ve=null,Re=null,je=null,lt=null,ue=null}}}let r=new t,o=new n,a=new s,l={},c=new WeakMap,h={},u={},f={},d=new WeakMap,p=[],x=null,m=!1,g=null,v=null,E=null,_=null,R=null,A=null,y=null,b=new Ve(0,0,0),U=0,I=!1,P=null,z=null,V=null,N=null,B=null,X=i.getParameter(i.MAX_COMBINED_TEXTURE_IMAGE_UNITS),G=!1,le=0,Y=i.getParameter(i.VERSION);Y.indexOf("WebGL")!==-1?(le=parseFloat(/^WebGL (\d)/.exec(Y)[1]),G=le>=1):Y.indexOf("OpenGL ES")!==-1&&(le=parseFloat(/^OpenGL ES (\d)/.exec(Y)[1]),G=le>=2);let K=null,ee={},fe=i.getParameter(i.SCISSOR_BOX),he=i.getParameter(i.VIEWPORT),j=new Qt().fromArray(fe),ge=new Qt().fromArray(he);function _e(O,se,ne,Ce){let ve=new Uint8Array(4),Re=i.createTexture();i.bindTexture(O,Re),i.texParameteri(O,i.TEXTURE_MIN_FILTER,i.NEAREST),i.texParameteri(O,i.TEXTURE_MAG_FILTER,i.NEAREST);for(let je=0;je<ne;je++)O===i.TEXTURE_3D||O===i.TEXTURE_2D_ARRAY?i.texImage3D(se,0,i.RGBA,1,1,Ce,0,i.RGBA,i.UNSIGNED_BYTE,ve):i.texImage2D(se+je,0,i.RGBA,1,1,0,i.RGBA,i.UNSIGNED_BYTE,ve);return Re}let Le={};Le[i.TEXTURE_2D]=_e(i.TEXTURE_2D,i.TEXTURE_2D,1),Le[i.TEXTURE_CUBE_MAP]=_e(i.TEXTURE_CUBE_MAP,i.TEXTURE_CUBE_MAP_POSITIVE_X,6),Le[i.TEXTURE_2D_ARRAY]=_e(i.TEXTURE_2D_ARRAY,i.TEXTURE_2D_ARRAY,1,1),Le[i.TEXTURE_3D]=_e(i.TEXTURE_3D,i.TEXTURE_3D,1,1),r.setClear(0,0,0,1),o.setClear(1),a.setClear(0),be(i.DEPTH_TEST),o.setFunc(no),Be(!1),Ne(Bu),be(i.CULL_FACE),ye(gr);function be(O){h[O]!==!0&&(i.enable(O),h[O]=!0)}function He(O){h[O]!==!1&&(i.disable(O),h[O]=!1)}function st(O,se){return f[O]!==se?(i.bindFramebuffer(O,se),f[O]=se,O===i.DRAW_FRAMEBUFFER&&(f[i.FRAMEBUFFER]=se),O===i.FRAMEBUFFER&&(f[i.DRAW_FRAMEBUFFER]=se),!0):!1}function Ke(O,se){let ne=p,Ce=!1;if(O){ne=d.get(se),ne===void 0&&(ne=[],d.set(se,ne));let ve=O.textures;if(ne.length!==ve.length||ne[0]!==i.COLOR_ATTACHMENT0){for(let Re=0,je=ve.length;Re<je;Re++)ne[Re]=i.COLOR_ATTACHMENT0+Re;ne.length=ve.length,Ce=!0}}else ne[0]!==i.BACK&&(ne[0]=i.BACK,Ce=!0);Ce&&i.drawBuffers(ne)}function rt(O){return x!==O?(i.useProgram(O),x=O,!0):!1}let it={[xr]:i.FUNC_ADD,[kp]:i.FUNC_SUBTRACT,[Gp]:i.FUNC_REVERSE_SUBTRACT};it[Vp]=i.MIN,it[Hp]=i.MAX;let re={[Wp]:i.ZERO,[Xp]:i.ONE,[qp]:i.SRC_COLOR,[Vu]:i.SRC_ALPHA,[jp]:i.SRC_ALPHA_SATURATE,[Jp]:i.DST_COLOR,[$p]:i.DST_ALPHA,[Yp]:i.ONE_MINUS_SRC_COLOR,[Hu]:i.ONE_MINUS_SRC_ALPHA,[Kp]:i.ONE_MINUS_DST_COLOR,[Zp]:i.ONE_MINUS_DST_ALPHA,[Qp]:i.CONSTANT_COLOR,[em]:i.ONE_MINUS_CONSTANT_COLOR,[tm]:i.CONSTANT_ALPHA,[nm]:i.ONE_MINUS_CONSTANT_ALPHA};function ye(O,se,ne,Ce,ve,Re,je,lt,ue,Ye){if(O===gr){m===!0&&(He(i.BLEND),m=!1);return}if(m===!1&&(be(i.BLEND),m=!0),O!==zp){if(O!==g||Ye!==I){if((v!==xr||R!==xr)&&(i.blendEquation(i.FUNC_ADD),v=xr,R=xr),Ye)switch(O){case wo:i.blendFuncSeparate(i.ONE,i.ONE_MINUS_SRC_ALPHA,i.ONE,i.ONE_MINUS_SRC_ALPHA);break;case zu:i.blendFunc(i.ONE,i.ONE);break;case ku:i.blendFuncSeparate(i.ZERO,i.ONE_MINUS_SRC_COLOR,i.ZERO,i.ONE);break;case Gu:i.blendFuncSeparate(i.DST_COLOR,i.ONE_MINUS_SRC_ALPHA,i.ZERO,i.ONE);break;default:at("WebGLState: Invalid blending: ",O);break}else switch(O){case wo:i.blendFuncSeparate(i.SRC_ALPHA,i.ONE_MINUS_SRC_ALPHA,i.ONE,i.ONE_MINUS_SRC_ALPHA);break;case zu:i.blendFuncSeparate(i.SRC_ALPHA,i.ONE,i.ONE,i.ONE);break;case ku:at("WebGLState: SubtractiveBlending requires material.premultipliedAlpha = true");break;case Gu:at("WebGLState: MultiplyBlending requires material.premultipliedAlpha = true");break;default:at("WebGLState: Invalid blending: ",O);break}E=null,_=null,A=null,y=null,b.set(0,0,0),U=0,g=O,I=Ye}return}ve=ve||se,Re=Re||ne,je=je||Ce,(se!==v||ve!==R)&&(i.blendEquationSeparate(it[se],it[ve]),v=se,R=ve),(ne!==E||Ce!==_||Re!==A||je!==y)&&(i.blendFuncSeparate(re[ne],re[Ce],re[Re],re[je]),E=ne,_=Ce,A=Re,y=je),(lt.equals(b)===!1||ue!==U)&&(i.blendColor(lt.r,lt.g,lt.b,ue),b.copy(lt),U=ue),g=O,I=!1}function xe(O,se){O.side===_n?He(i.CULL_FACE):be(i.CULL_FACE);let ne=O.side===Rn;se&&(ne=!ne),Be(ne),O.blending===wo&&O.transparent===!1?ye(gr):ye(O.blending,O.blendEquation,O.blendSrc,O.blendDst,O.blendEquationAlpha,O.blendSrcAlpha,O.blendDstAlpha,O.blendColor,O.blendAlpha,O.premultipliedAlpha),o.setFunc(O.depthFunc),o.setTest(O.depthTest),o.setMask(O.depthWrite),r.setMask(O.colorWrite);let Ce=O.stencilWrite;a.setTest(Ce),Ce&&(a.setMask(O.stencilWriteMask),a.setFunc(O.stencilFunc,O.stencilRef,O.stencilFuncMask),a.setOp(O.stencilFail,O.stencilZFail,O.stencilZPass)),ze(O.polygonOffset,O.polygonOffsetFactor,O.polygonOffsetUnits),O.alphaToCoverage===!0?be(i.SAMPLE_ALPHA_TO_COVERAGE):He(i.SAMPLE_ALPHA_TO_COVERAGE)}function Be(O){P!==O&&(O?i.frontFace(i.CW):i.frontFace(i.CCW),P=O)}function Ne(O){O!==Fp?(be(i.CULL_FACE),O!==z&&(O===Bu?i.cullFace(i.BACK):O===Op?i.cullFace(i.FRONT):i.cullFace(i.FRONT_AND_BACK))):He(i.CULL_FACE),z=O}function nt(O){O!==V&&(G&&i.lineWidth(O),V=O)}function ze(O,se,ne){O?(be(i.POLYGON_OFFSET_FILL),(N!==se||B!==ne)&&(N=se,B=ne,o.getReversed()&&(se=-se,ne=-ne),i.polygonOffset(se,ne))):He(i.POLYGON_OFFSET_FILL)}function mt(O){O?be(i.SCISSOR_TEST):He(i.SCISSOR_TEST)}function ft(O){O===void 0&&(O=i.TEXTURE0+X-1),K!==O&&(i.activeTexture(O),K=O)}function xt(O,se,ne){ne===void 0&&(K===null?ne=i.TEXTURE0+X-1:ne=K);let Ce=ee[ne];Ce===void 0&&(Ce={type:void 0,texture:void 0},ee[ne]=Ce),(Ce.type!==O||Ce.texture!==se)&&(K!==ne&&(i.activeTexture(ne),K=ne),i.bindTexture(O,se||Le[O]),Ce.type=O,Ce.texture=se)}function F(){let O=ee[K];O!==void 0&&O.type!==void 0&&(i.bindTexture(O.type,null),O.type=void 0,O.texture=void 0)}function Me(){try{i.compressedTexImage2D(...arguments)}catch(O){at("WebGLState:",O)}}function qe(){try{i.compressedTexImage3D(...arguments)}catch(O){at("WebGLState:",O)}}function ht(){try{i.texSubImage2D(...arguments)}catch(O){at("WebGLState:",O)}}function we(){try{i.texSubImage3D(...arguments)}catch(O){at("WebGLState:",O)}}function Dt(){try{i.compressedTexSubImage2D(...arguments)}catch(O){at("WebGLState:",O)}}function Ze(){try{i.compressedTexSubImage3D(...arguments)}catch(O){at("WebGLState:",O)}}function et(){try{i.texStorage2D(...arguments)}catch(O){at("WebGLState:",O)}}function C(){try{i.texStorage3D(...arguments)}catch(O){at("WebGLState:",O)}}function S(){try{i.texImage2D(...arguments)}catch(O){at("WebGLState:",O)}}function q(){try{i.texImage3D(...arguments)}catch(O){at("WebGLState:",O)}}function de(O){return u[O]!==void 0?u[O]:i.getParameter(O)}function oe(O,se){u[O]!==se&&(i.pixelStorei(O,se),u[O]=se)}function Se(O){j.equals(O)===!1&&(i.scissor(O.x,O.y,O.z,O.w),j.copy(O))}function Ae(O){ge.equals(O)===!1&&(i.viewport(O.x,O.y,O.z,O.w),ge.copy(O))}function te(O,se){let ne=c.get(se);ne===void 0&&(ne=new WeakMap,c.set(se,ne));let Ce=ne.get(O);Ce===void 0&&(Ce=i.getUniformBlockIndex(se,O.name),i.uniformBlockBinding(se,Ce,Ce),ne.set(O,Ce))}function ie(O,se,ne){let ve=c.get(se).get(O);l[ve]!==ne&&(i.bindBufferBase(i.UNIFORM_BUFFER,ve,ne),l[ve]=ne)}function me(){i.disable(i.BLEND),i.disable(i.CULL_FACE),i.disable(i.DEPTH_TEST),i.disable(i.POLYGON_OFFSET_FILL),i.disable(i.SCISSOR_TEST),i.disable(i.STENCIL_TEST),i.disable(i.SAMPLE_ALPHA_TO_COVERAGE),i.blendEquation(i.FUNC_ADD),i.blendFunc(i.ONE,i.ZERO),i.blendFuncSeparate(i.ONE,i.ZERO,i.ONE,i.ZERO),i.blendColor(0,0,0,0),i.colorMask(!0,!0,!0,!0),i.clearColor(0,0,0,0),i.depthMask(!0),i.depthFunc(i.LESS),o.setReversed(!1),i.clearDepth(1),i.stencilMask(4294967295),i.stencilFunc(i.ALWAYS,0,4294967295),i.stencilOp(i.KEEP,i.KEEP,i.KEEP),i.clearStencil(0),i.cullFace(i.BACK),i.frontFace(i.CCW),i.polygonOffset(0,0),i.activeTexture(i.TEXTURE0),i.bindFramebuffer(i.FRAMEBUFFER,null),i.bindFramebuffer(i.DRAW_FRAMEBUFFER,null),i.bindFramebuffer(i.READ_FRAMEBUFFER,null),i.useProgram(null),i.lineWidth(1),i.scissor(0,0,i.canvas.width,i.canvas.height),i.viewport(0,0,i.canvas.width,i.canvas.height),i.pixelStorei(i.PACK_ALIGNMENT,4),i.pixelStorei(i.UNPACK_ALIGNMENT,4),i.pixelStorei(i.UNPACK_FLIP_Y_WEBGL,!1),i.pixelStorei(i.UNPACK_PREMULTIPLY_ALPHA_WEBGL,!1),i.pixelStorei(i.UNPACK_COLORSPACE_CONVERSION_WEBGL,i.BROWSER_DEFAULT_WEBGL),i.pixelStorei(i.PACK_ROW_LENGTH,0),i.pixelStorei(i.PACK_SKIP_PIXELS,0),i.pixelStorei(i.PACK_SKIP_ROWS,0),i.pixelStorei(i.UNPACK_ROW_LENGTH,0),i.pixelStorei(i.UNPACK_IMAGE_HEIGHT,0),i.pixelStorei(i.UNPACK_SKIP_PIXELS,0),i.pixelStorei(i.UNPACK_SKIP_ROWS,0),i.pixelStorei(i.UNPACK_SKIP_IMAGES,0),h={},u={},K=null,ee={},f={},l={},d=new WeakMap,p=[],x=null,m=!1,g=null,v=null,E=null,_=null,R=null,A=null,y=null,b=new Ve(0,0,0),U=0,I=!1,P=null,z=null,V=null,N=null,B=null,j.set(0,0,i.canvas.width,i.canvas.height),ge.set(0,0,i.canvas.width,i.canvas.height),r.reset(),o.reset(),a.reset()}return{buffers:{color:r,depth:o,stencil:a},enable:be,disable:He,bindFramebuffer:st,drawBuffers:Ke,useProgram:rt,setBlending:ye,setMaterial:xe,setFlipSided:Be,setCullFace:Ne,setLineWidth:nt,setPolygonOffset:ze,setScissorTest:mt,activeTexture:ft,bindTexture:xt,unbindTexture:F,compressedTexImage2D:Me,compressedTexImage3D:qe,texImage2D:S,texImage3D:q,pixelStorei:oe,getParameter:de,updateUBOMapping:te,uniformBlockBinding:ie,texStorage2D:et,texStorage3D:C,texSubImage2D:ht,texSubImage3D:we,compressedTexSubImage2D:Dt,compressedTexSubImage3D:Ze,scissor:Se,viewport:Ae,reset:me}}function Qb(i,e,t,n,s,r,o){let a=e.has("WEBGL_multisampled_render_to_texture")?e.get("WEBGL_multisampled_render_to_texture"):null,l=typeof navigator>"u"?!1:/OculusBrowser/g.test(navigator.userAgent),c=new Ee,h=new WeakMap,u=new Set,f,d=new WeakMap,p=new Set,x=new FinalizationRegistry(C=>p.delete(C)),m=!1;try{m=typeof OffscreenCanvas<"u"&&new OffscreenCanvas(1,1).getContext("2d")!==null}catch{}function g(C,S){return m?new OffscreenCanvas(C,S):pa("canvas")}function v(C,S,q){let de=1,oe=et(C);if((oe.width>q||oe.height>q)&&(de=q/Math.max(oe.width,oe.height)),de<1)if(typeof HTMLImageElement<"u"&&C instanceof HTMLImageElement||typeof HTMLCanvasElement<"u"&&C instanceof HTMLCanvasElement||typeof ImageBitmap<"u"&&C instanceof ImageBitmap||typeof VideoFrame<"u"&&C instanceof VideoFrame){let Se=Math.floor(de*oe.width),Ae=Math.floor(de*oe.height);f===void 0&&(f=g(Se,Ae));let te=S?g(Se,Ae):f;return te.width=Se,te.height=Ae,te.getContext("2d").drawImage(C,0,0,Se,Ae),tt("WebGLRenderer: Texture has been resized from ("+oe.width+"x"+oe.height+") to ("+Se+"x"+Ae+")."),te}else return"data"in C&&tt("WebGLRenderer: Image in DataTexture is too big ("+oe.width+"x"+oe.height+")."),C;return C}function E(C){return C.generateMipmaps}function _(C){i.generateMipmap(C)}function R(C){return C.isWebGLCubeRenderTarget?i.TEXTURE_CUBE_MAP:C.isWebGL3DRenderTarget?i.TEXTURE_3D:C.isWebGLArrayRenderTarget||C.isCompressedArrayTexture?i.TEXTURE_2D_ARRAY:i.TEXTURE_2D}function A(C,S,q,de,oe,Se=!1){if(C!==null){if(i[C]!==void 0)return i[C];tt("WebGLRenderer: Attempt to use non-existing WebGL internal format '"+C+"'")}let Ae;de&&(Ae=e.get("EXT_texture_norm16"),Ae||tt("WebGLRenderer: Unable to use normalized textures without EXT_texture_norm16 extension"));let te=S;if(S===i.RED&&(q===i.FLOAT&&(te=i.R32F),q===i.HALF_FLOAT&&(te=i.R16F),q===i.UNSIGNED_BYTE&&(te=i.R8),q===i.UNSIGNED_SHORT&&Ae&&(te=Ae.R16_EXT),q===i.SHORT&&Ae&&(te=Ae.R16_SNORM_EXT)),S===i.RED_INTEGER&&(q===i.UNSIGNED_BYTE&&(te=i.R8UI),q===i.UNSIGNED_SHORT&&(te=i.R16UI),q===i.UNSIGNED_INT&&(te=i.R32UI),q===i.BYTE&&(te=i.R8I),q===i.SHORT&&(te=i.R16I),q===i.INT&&(te=i.R32I)),S===i.RG&&(q===i.FLOAT&&(te=i.RG32F),q===i.HALF_FLOAT&&(te=i.RG16F),q===i.UNSIGNED_BYTE&&(te=i.RG8),q===i.UNSIGNED_SHORT&&Ae&&(te=Ae.RG16_EXT),q===i.SHORT&&Ae&&(te=Ae.RG16_SNORM_EXT)),S===i.RG_INTEGER&&(q===i.UNSIGNED_BYTE&&(te=i.RG8UI),q===i.UNSIGNED_SHORT&&(te=i.RG16UI),q===i.UNSIGNED_INT&&(te=i.RG32UI),q===i.BYTE&&(te=i.RG8I),q===i.SHORT&&(te=i.RG16I),q===i.INT&&(te=i.RG32I)),S===i.RGB_INTEGER&&(q===i.UNSIGNED_BYTE&&(te=i.RGB8UI),q===i.UNSIGNED_SHORT&&(te=i.RGB16UI),q===i.UNSIGNED_INT&&(te=i.RGB32UI),q===i.BYTE&&(te=i.RGB8I),q===i.SHORT&&(te=i.RGB16I),q===i.INT&&(te=i.RGB32I)),S===i.RGBA_INTEGER&&(q===i.UNSIGNED_BYTE&&(te=i.RGBA8UI),q===i.UNSIGNED_SHORT&&(te=i.RGBA16UI),q===i.UNSIGNED_INT&&(te=i.RGBA32UI),q===i.BYTE&&(te=i.RGBA8I),q===i.SHORT&&(te=i.RGBA16I),q===i.INT&&(te=i.RGBA32I)),S===i.RGB&&(q===i.UNSIGNED_SHORT&&Ae&&(te=Ae.RGB16_EXT),q===i.SHORT&&Ae&&(te=Ae.RGB16_SNORM_EXT),q===i.UNSIGNED_INT_5_9_9_9_REV&&(te=i.RGB9_E5),q===i.UNSIGNED_INT_10F_11F_11F_REV&&(te=i.R11F_G11F_B10F)),S===i.RGBA){let ie=Se?da:Tt.getTransfer(oe);q===i.FLOAT&&(te=i.RGBA32F),q===i.HALF_FLOAT&&(te=i.RGBA16F),q===i.UNSIGNED_BYTE&&(te=ie===Ft?i.SRGB8_ALPHA8:i.RGBA8),q===i.UNSIGNED_SHORT&&Ae&&(te=Ae.RGBA16_EXT),q===i.SHORT&&Ae&&(te=Ae.RGBA16_SNORM_EXT),q===i.UNSIGNED_SHORT_4_4_4_4&&(te=i.RGBA4),q===i.UNSIGNED_SHORT_5_5_5_1&&(te=i.RGB5_A1)}return(te===i.R16F||te===i.R32F||te===i.RG16F||te===i.RG32F||te===i.RGBA16F||te===i.RGBA32F)&&e.get("EXT_color_buffer_float"),te}function y(C,S){let q;return C?S===null||S===Fi||S===vr?q=i.DEPTH24_STENCIL8:S===wi?q=i.DEPTH32F_STENCIL8:S===Eo&&(q=i.DEPTH24_STENCIL8,tt("DepthTexture: 16 bit depth attachment is not supported with stencil. Using 24-bit attachment.")):S===null||S===Fi||S===vr?q=i.DEPTH_COMPONENT24:S===wi?q=i.DEPTH_COMPONENT32F:S===Eo&&(q=i.DEPTH_COMPONENT16),q}function b(C,S){return E(C)===!0||C.isFramebufferTexture&&C.minFilter!==pn&&C.minFilter!==Pn?Math.log2(Math.max(S.width,S.height))+1:C.mipmaps.length>0?C.mipmaps.length:C.isCompressedTexture&&Array.isArray(C.image)?S.mipmaps.length:1}function U(C){let S=new WeakRef(C);n.get(C).__ref=S,p.add(S),x.register(C,S,S)}function I(C){let S=n.get(C).__ref;S!==void 0&&(p.delete(S),x.unregister(S))}function P(C){V(C.target)}function z(C){N(C.target)}function V(C){C.removeEventListener("dispose",P),I(C),X(C),C.isVideoTexture&&h.delete(C),C.isHTMLTexture&&u.delete(C)}function N(C){C.removeEventListener("dispose",z),I(C),le(C)}function B(){for(let C of p){let S=C.deref();S!==void 0&&(S.isRenderTarget===!0?N(S):V(S))}p.clear(),u.clear()}function X(C){let S=n.get(C);if(S.__webglInit===void 0)return;let q=C.source,de=d.get(q);if(de){let oe=de[S.__cacheKey];oe.usedTimes--,oe.usedTimes===0&&G(C),Object.keys(de).length===0&&d.delete(q)}n.remove(C)}function G(C){let S=n.get(C);i.deleteTexture(S.__webglTexture);let q=C.source,de=d.get(q);delete de[S.__cacheKey],o.memory.textures--}function le(C){let S=n.get(C);S.__depthDisposeCallback&&S.__depthDisposeCallback();let q=C.depthTexture;if(q&&q.renderTarget===C&&V(q),C.isWebGLCubeRenderTarget)for(let oe=0;oe<6;oe++){if(Array.isArray(S.__webglFramebuffer[oe]))for(let Se=0;Se<S.__webglFramebuffer[oe].length;Se++)i.deleteFramebuffer(S.__webglFramebuffer[oe][Se]);else i.deleteFramebuffer(S.__webglFramebuffer[oe]);S.__webglDepthbuffer&&i.deleteRenderbuffer(S.__webglDepthbuffer[oe])}else{if(Array.isArray(S.__webglFramebuffer))for(let oe=0;oe<S.__webglFramebuffer.length;oe++)i.deleteFramebuffer(S.__webglFramebuffer[oe]);else i.deleteFramebuffer(S.__webglFramebuffer);if(S.__webglDepthbuffer&&i.deleteRenderbuffer(S.__webglDepthbuffer),S.__webglMultisampledFramebuffer&&i.deleteFramebuffer(S.__webglMultisampledFramebuffer),S.__webglColorRenderbuffer)for(let oe=0;oe<S.__webglColorRenderbuffer.length;oe++)S.__webglColorRenderbuffer[oe]&&i.deleteRenderbuffer(S.__webglColorRenderbuffer[oe]);S.__webglDepthRenderbuffer&&i.deleteRenderbuffer(S.__webglDepthRenderbuffer)}let de=C.textures;for(let oe=0,Se=de.length;oe<Se;oe++){let Ae=n.get(de[oe]);Ae.__webglTexture&&(i.deleteTexture(Ae.__webglTexture),o.memory.textures--),n.remove(de[oe])}n.remove(C)}let Y=0;function K(){Y=0}function ee(){return Y}function fe(C){Y=C}function he(){let C=Y;return C>=s.maxTextures&&tt("WebGLTextures: Trying to use "+(C+1)+" texture units while this GPU supports only "+s.maxTextures),Y+=1,C}function j(C){let S=[];return S.push(C.wrapS),S.push(C.wrapT),S.push(C.wrapR||0),S.push(C.magFilter),S.push(C.minFilter),S.push(C.anisotropy),S.push(C.internalFormat),S.push(C.format),S.push(C.type),S.push(C.generateMipmaps),S.push(C.mipmapsAutoUpdate),S.push(C.premultiplyAlpha),S.push(C.flipY),S.push(C.unpackAlignment),S.push(C.colorSpace),S.join()}function ge(C,S){let q=n.get(C);if(C.isVideoTexture&&Dt(C),C.isRenderTargetTexture===!1&&C.isExternalTexture!==!0&&C.version>0&&q.__version!==C.version){let de=C.image;if(de===null)tt("WebGLRenderer: Texture marked for update but no image data found.");else if(de.complete===!1)tt("WebGLRenderer: Texture marked for update but image is incomplete");else{xe(q,C,S);return}}else C.isExternalTexture&&(q.__webglTexture=C.sourceTexture?C.sourceTexture:null);t.bindTexture(i.TEXTURE_2D,q.__webglTexture,i.TEXTURE0+S)}function _e(C,S){let q=n.get(C);if(C.isRenderTargetTexture===!1&&C.version>0&&q.__version!==C.version){xe(q,C,S);return}else C.isExternalTexture&&(q.__webglTexture=C.sourceTexture?C.sourceTexture:null);t.bindTexture(i.TEXTURE_2D_ARRAY,q.__webglTexture,i.TEXTURE0+S)}function Le(C,S){let q=n.get(C);if(C.isRenderTargetTexture===!1&&C.version>0&&q.__version!==C.version){xe(q,C,S);return}t.bindTexture(i.TEXTURE_3D,q.__webglTexture,i.TEXTURE0+S)}function be(C,S){let q=n.get(C);if(C.version>0&&q.__version!==C.version){Be(q,C,S);return}t.bindTexture(i.TEXTURE_CUBE_MAP,q.__webglTexture,i.TEXTURE0+S)}let He={[io]:i.REPEAT,[xi]:i.CLAMP_TO_EDGE,[so]:i.MIRRORED_REPEAT},st={[pn]:i.NEAREST,[yc]:i.NEAREST_MIPMAP_NEAREST,[yr]:i.NEAREST_MIPMAP_LINEAR,[Pn]:i.LINEAR,[To]:i.LINEAR_MIPMAP_NEAREST,[Ui]:i.LINEAR_MIPMAP_LINEAR},Ke={[cm]:i.NEVER,[af]:i.ALWAYS,[hm]:i.LESS,[rf]:i.LEQUAL,[um]:i.EQUAL,[of]:i.GEQUAL,[fm]:i.GREATER,[dm]:i.NOTEQUAL};function rt(C,S){if(S.type===wi&&e.has("OES_texture_float_linear")===!1&&(S.magFilter===Pn||S.magFilter===To||S.magFilter===yr||S.magFilter===Ui||S.minFilter===Pn||S.minFilter===To||S.minFilter===yr||S.minFilter===Ui)&&tt("WebGLRenderer: Unable to use linear filtering with floating point textures. OES_texture_float_linear not supported on this device."),i.texParameteri(C,i.TEXTURE_WRAP_S,He[S.wrapS]),i.texParameteri(C,i.TEXTURE_WRAP_T,He[S.wrapT]),(C===i.TEXTURE_3D||C===i.TEXTURE_2D_ARRAY)&&i.texParameteri(C,i.TEXTURE_WRAP_R,He[S.wrapR]),i.texParameteri(C,i.TEXTURE_MAG_FILTER,st[S.magFilter]),i.texParameteri(C,i.TEXTURE_MIN_FILTER,st[S.minFilter]),S.compareFunction&&(i.texParameteri(C,i.TEXTURE_COMPARE_MODE,i.COMPARE_REF_TO_TEXTURE),i.texParameteri(C,i.TEXTURE_COMPARE_FUNC,Ke[S.compareFunction])),e.has("EXT_texture_filter_anisotropic")===!0){if(S.magFilter===pn||S.minFilter!==yr&&S.minFilter!==Ui||S.type===wi&&e.has("OES_texture_float_linear")===!1)return;if(S.anisotropy>1||n.get(S).__currentAnisotropy){let q=e.get("EXT_texture_filter_anisotropic");i.texParameterf(C,q.TEXTURE_MAX_ANISOTROPY_EXT,Math.min(S.anisotropy,s.getMaxAnisotropy())),n.get(S).__currentAnisotropy=S.anisotropy}}}function it(C,S){let q=!1;C.__webglInit===void 0&&(C.__webglInit=!0,S.addEventListener("dispose",P),U(S));let de=S.source,oe=d.get(de);oe===void 0&&(oe={},d.set(de,oe));let Se=j(S);if(Se!==C.__cacheKey){oe[Se]===void 0&&(oe[Se]={texture:i.createTexture(),usedTimes:0},o.memory.textures++,q=!0),oe[Se].usedTimes++;let Ae=oe[C.__cacheKey];Ae!==void 0&&(oe[C.__cacheKey].usedTimes--,Ae.usedTimes===0&&G(S)),C.__cacheKey=Se,C.__webglTexture=oe[Se].texture}return q}function re(C,S,q){return Math.floor(Math.floor(C/q)/S)}function ye(C,S,q,de){let Se=C.updateRanges;if(Se.length===0)t.texSubImage2D(i.TEXTURE_2D,0,0,0,S.width,S.height,q,de,S.data);else{Se.sort((O,se)=>O.start-se.start);let Ae=0;for(let O=1;O<Se.length;O++){let se=Se[Ae],ne=Se[O],Ce=se.start+se.count,ve=re(ne.start,S.width,4),Re=re(se.start,S.width,4);ne.start<=Ce+1&&ve===Re&&re(ne.start+ne.count-1,S.width,4)===ve?se.count=Math.max(se.count,ne.start+ne.count-se.start):(++Ae,Se[Ae]=ne)}Se.length=Ae+1;let te=t.getParameter(i.UNPACK_ROW_LENGTH),ie=t.getParameter(i.UNPACK_SKIP_PIXELS),me=t.getParameter(i.UNPACK_SKIP_ROWS);t.pixelStorei(i.UNPACK_ROW_LENGTH,S.width);for(let O=0,se=Se.length;O<se;O++){let ne=Se[O],Ce=Math.floor(ne.start/4),ve=Math.ceil(ne.count/4),Re=Ce%S.width,je=Math.floor(Ce/S.width),lt=ve,ue=1;t.pixelStorei(i.UNPACK_SKIP_PIXELS,Re),t.pixelStorei(i.UNPACK_SKIP_ROWS,je),t.texSubImage2D(i.TEXTURE_2D,0,Re,je,lt,ue,q,de,S.data)}C.clearUpdateRanges(),t.pixelStorei(i.UNPACK_ROW_LENGTH,te),t.pixelStorei(i.UNPACK_SKIP_PIXELS,ie),t.pixelStorei(i.UNPACK_SKIP_ROWS,me)}}function xe(C,S,q){let de=i.TEXTURE_2D;(S.isDataArrayTexture||S.isCompressedArrayTexture)&&(de=i.TEXTURE_2D_ARRAY),S.isData3DTexture&&(de=i.TEXTURE_3D);let oe=it(C,S),Se=S.source;t.bindTexture(de,C.__webglTexture,i.TEXTURE0+q);let Ae=n.get(Se);if(Se.version!==Ae.__version||oe===!0){if(t.activeTexture(i.TEXTURE0+q),(typeof ImageBitmap<"u"&&S.image instanceof ImageBitmap)===!1){let ue=Tt.getPrimaries(Tt.workingColorSpace),Ye=S.colorSpace===Bi?null:Tt.getPrimaries(S.colorSpace),ct=S.colorSpace===Bi||ue===Ye?i.NONE:i.BROWSER_DEFAULT_WEBGL;t.pixelStorei(i.UNPACK_FLIP_Y_WEBGL,S.flipY),t.pixelStorei(i.UNPACK_PREMULTIPLY_ALPHA_WEBGL,S.premultiplyAlpha),t.pixelStorei(i.UNPACK_COLORSPACE_CONVERSION_WEBGL,ct)}t.pixelStorei(i.UNPACK_ALIGNMENT,S.unpackAlignment);let ie=v(S.image,!1,s.maxTextureSize);ie=Ze(S,ie);let me=r.convert(S.format,S.colorSpace),O=r.convert(S.type),se=A(S.internalFormat,me,O,S.normalized,S.colorSpace,S.isVideoTexture);rt(de,S);let ne,Ce=S.mipmaps,ve=S.isVideoTexture!==!0,Re=Ae.__version===void 0||oe===!0,je=Se.dataReady,lt=b(S,ie);if(S.isDepthTexture)se=y(S.format===As,S.type),Re&&(ve?t.texStorage2D(i.TEXTURE_2D,1,se,ie.width,ie.height):t.texImage2D(i.TEXTURE_2D,0,se,ie.width,ie.height,0,me,O,null));else if(S.isDataTexture)if(Ce.length>0){ve&&Re&&t.texStorage2D(i.TEXTURE_2D,lt,se,Ce[0].width,Ce[0].height);for(let ue=0,Ye=Ce.length;ue<Ye;ue++)ne=Ce[ue],ve?je&&t.texSubImage2D(i.TEXTURE_2D,ue,0,0,ne.width,ne.height,me,O,ne.data):t.texImage2D(i.TEXTURE_2D,ue,se,ne.width,ne.height,0,me,O,ne.data);S.generateMipmaps=!1}else ve?(Re&&t.texStorage2D(i.TEXTURE_2D,lt,se,ie.width,ie.height),je&&ye(S,ie,me,O)):t.texImage2D(i.TEXTURE_2D,0,se,ie.width,ie.height,0,me,O,ie.data);else if(S.isCompressedTexture)if(S.isCompressedArrayTexture){ve&&Re&&t.texStorage3D(i.TEXTURE_2D_ARRAY,lt,se,Ce[0].width,Ce[0].height,ie.depth);for(let ue=0,Ye=Ce.length;ue<Ye;ue++)if(ne=Ce[ue],S.format!==oi)if(me!==null)if(ve){if(je)if(S.layerUpdates.size>0){let ct=xf(ne.width,ne.height,S.format,S.type);for(let De of S.layerUpdates){let gt=ne.data.subarray(De*ct/ne.data.BYTES_PER_ELEMENT,(De+1)*ct/ne.data.BYTES_PER_ELEMENT);t.compressedTexSubImage3D(i.TEXTURE_2D_ARRAY,ue,0,0,De,ne.width,ne.height,1,me,gt)}}else t.compressedTexSubImage3D(i.TEXTURE_2D_ARRAY,ue,0,0,0,ne.width,ne.height,ie.depth,me,ne.data)}else t.compressedTexImage3D(i.TEXTURE_2D_ARRAY,ue,se,ne.width,ne.height,ie.depth,0,ne.data,0,0);else tt("WebGLRenderer: Attempt to load unsupported compressed texture format in .uploadTexture()");else ve?je&&t.texSubImage3D(i.TEXTURE_2D_ARRAY,ue,0,0,0,ne.width,ne.height,ie.depth,me,O,ne.data):t.texImage3D(i.TEXTURE_2D_ARRAY,ue,se,ne.width,ne.height,ie.depth,0,me,O,ne.data);S.layerUpdates.size>0&&S.clearLayerUpdates()}else{ve&&Re&&t.texStorage2D(i.TEXTURE_2D,lt,se,Ce[0].width,Ce[0].height);for(let ue=0,Ye=Ce.length;ue<Ye;ue++)ne=Ce[ue],S.format!==oi?me!==null?ve?je&&t.compressedTexSubImage2D(i.TEXTURE_2D,ue,0,0,ne.width,ne.height,me,ne.data):t.compressedTexImage2D(i.TEXTURE_2D,ue,se,ne.width,ne.height,0,ne.data):tt("WebGLRenderer: Attempt to load unsupported compressed texture format in .uploadTexture()"):ve?je&&t.texSubImage2D(i.TEXTURE_2D,ue,0,0,ne.width,ne.height,me,O,ne.data):t.texImage2D(i.TEXTURE_2D,ue,se,ne.width,ne.height,0,me,O,ne.data)}else if(S.isDataArrayTexture)if(ve){if(Re&&t.texStorage3D(i.TEXTURE_2D_ARRAY,lt,se,ie.width,ie.height,ie.depth),je)if(S.layerUpdates.size>0){let ue=xf(ie.width,ie.height,S.format,S.type);for(let Ye of S.layerUpdates){let ct=ie.data.subarray(Ye*ue/ie.data.BYTES_PER_ELEMENT,(Ye+1)*ue/ie.data.BYTES_PER_ELEMENT);t.texSubImage3D(i.TEXTURE_2D_ARRAY,0,0,0,Ye,ie.width,ie.height,1,me,O,ct)}S.clearLayerUpdates()}else t.texSubImage3D(i.TEXTURE_2D_ARRAY,0,0,0,0,ie.width,ie.height,ie.depth,me,O,ie.data)}else t.texImage3D(i.TEXTURE_2D_ARRAY,0,se,ie.width,ie.height,ie.depth,0,me,O,ie.data);else if(S.isData3DTexture)ve?(Re&&t.texStorage3D(i.TEXTURE_3D,lt,se,ie.width,ie.height,ie.depth),je&&t.texSubImage3D(i.TEXTURE_3D,0,0,0,0,ie.width,ie.height,ie.depth,me,O,ie.data)):t.texImage3D(i.TEXTURE_3D,0,se,ie.width,ie.height,ie.depth,0,me,O,ie.data);else if(S.isFramebufferTexture){if(Re)if(ve)t.texStorage2D(i.TEXTURE_2D,lt,se,ie.width,ie.height);else{let ue=ie.width,Ye=ie.height;for(let ct=0;ct<lt;ct++)t.texImage2D(i.TEXTURE_2D,ct,se,ue,Ye,0,me,O,null),ue>>=1,Ye>>=1}}else if(S.isHTMLTexture){if("texElementImage2D"in i){let ue=i.canvas;if(ue.hasAttribute("layoutsubtree")||ue.setAttribute("layoutsubtree","true"),ie.parentNode!==ue){ue.appendChild(ie),u.add(S),ue.onpaint=Ye=>{let ct=Ye.changedElements;for(let De of u)ct.includes(De.image)&&(De.needsUpdate=!0)},ue.requestPaint();return}if(i.texElementImage2D.length===3)i.texElementImage2D(i.TEXTURE_2D,i.RGBA8,ie);else{let ct=i.RGBA,De=i.RGBA,gt=i.UNSIGNED_BYTE;i.texElementImage2D(i.TEXTURE_2D,0,ct,De,gt,ie)}i.texParameteri(i.TEXTURE_2D,i.TEXTURE_MIN_FILTER,i.LINEAR),i.texParameteri(i.TEXTURE_2D,i.TEXTURE_WRAP_S,i.CLAMP_TO_EDGE),i.texParameteri(i.TEXTURE_2D,i.TEXTURE_WRAP_T,i.CLAMP_TO_EDGE)}}else if(Ce.length>0){if(ve&&Re){let ue=et(Ce[0]);t.texStorage2D(i.TEXTURE_2D,lt,se,ue.width,ue.height)}for(let ue=0,Ye=Ce.length;ue<Ye;ue++)ne=Ce[ue],ve?je&&t.texSubImage2D(i.TEXTURE_2D,ue,0,0,me,O,ne):t.texImage2D(i.TEXTURE_2D,ue,se,me,O,ne);S.generateMipmaps=!1}else if(ve){if(Re){let ue=et(ie);t.texStorage2D(i.TEXTURE_2D,lt,se,ue.width,ue.height)}je&&t.texSubImage2D(i.TEXTURE_2D,0,0,0,me,O,ie)}else t.texImage2D(i.TEXTURE_2D,0,se,me,O,ie);E(S)&&S.mipmapsAutoUpdate===!0&&_(de),Ae.__version=Se.version,S.onUpdate&&S.onUpdate(S)}C.__version=S.version}function Be(C,S,q){if(S.image.length!==6)return;let de=it(C,S),oe=S.source;t.bindTexture(i.TEXTURE_CUBE_MAP,C.__webglTexture,i.TEXTURE0+q);let Se=n.get(oe);if(oe.version!==Se.__version||de===!0){t.activeTexture(i.TEXTURE0+q);let Ae=Tt.getPrimaries(Tt.workingColorSpace),te=S.colorSpace===Bi?null:Tt.getPrimaries(S.colorSpace),ie=S.colorSpace===Bi||Ae===te?i.NONE:i.BROWSER_DEFAULT_WEBGL;t.pixelStorei(i.UNPACK_FLIP_Y_WEBGL,S.flipY),t.pixelStorei(i.UNPACK_PREMULTIPLY_ALPHA_WEBGL,S.premultiplyAlpha),t.pixelStorei(i.UNPACK_ALIGNMENT,S.unpackAlignment),t.pixelStorei(i.UNPACK_COLORSPACE_CONVERSION_WEBGL,ie);let me=S.isCompressedTexture||S.image[0].isCompressedTexture,O=S.image[0]&&S.image[0].isDataTexture,se=[];for(let De=0;De<6;De++)!me&&!O?se[De]=v(S.image[De],!0,s.maxCubemapSize):se[De]=O?S.image[De].image:S.image[De],se[De]=Ze(S,se[De]);let ne=se[0],Ce=r.convert(S.format,S.colorSpace),ve=r.convert(S.type),Re=A(S.internalFormat,Ce,ve,S.normalized,S.colorSpace),je=S.isVideoTexture!==!0,lt=Se.__version===void 0||de===!0,ue=oe.dataReady,Ye=b(S,ne);rt(i.TEXTURE_CUBE_MAP,S);let ct;if(S.isDepthTexture){if(Re=y(S.format===As,S.type),lt)if(je)t.texStorage2D(i.TEXTURE_CUBE_MAP,1,Re,ne.width,ne.height);else for(let De=0;De<6;De++)t.texImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+De,0,Re,ne.width,ne.height,0,Ce,ve,null)}else if(me){je&&lt&&t.texStorage2D(i.TEXTURE_CUBE_MAP,Ye,Re,ne.width,ne.height);for(let De=0;De<6;De++){ct=se[De].mipmaps;for(let gt=0;gt<ct.length;gt++){let qt=ct[gt];S.format!==oi?Ce!==null?je?ue&&t.compressedTexSubImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+De,gt,0,0,qt.width,qt.height,Ce,qt.data):t.compressedTexImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+De,gt,Re,qt.width,qt.height,0,qt.data):tt("WebGLRenderer: Attempt to load unsupported compressed texture format in .setTextureCube()"):je?ue&&t.texSubImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+De,gt,0,0,qt.width,qt.height,Ce,ve,qt.data):t.texImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+De,gt,Re,qt.width,qt.height,0,Ce,ve,qt.data)}}}else{if(ct=S.mipmaps,je&&lt){ct.length>0&&Ye++;let De=et(se[0]);t.texStorage2D(i.TEXTURE_CUBE_MAP,Ye,Re,De.width,De.height)}for(let De=0;De<6;De++)if(O){je?ue&&t.texSubImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+De,0,0,0,se[De].width,se[De].height,Ce,ve,se[De].data):t.texImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+De,0,Re,se[De].width,se[De].height,0,Ce,ve,se[De].data);for(let gt=0;gt<ct.length;gt++){let zn=ct[gt].image[De].image;je?ue&&t.texSubImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+De,gt+1,0,0,zn.width,zn.height,Ce,ve,zn.data):t.texImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+De,gt+1,Re,zn.width,zn.height,0,Ce,ve,zn.data)}}else{je?ue&&t.texSubImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+De,0,0,0,Ce,ve,se[De]):t.texImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+De,0,Re,Ce,ve,se[De]);for(let gt=0;gt<ct.length;gt++){let qt=ct[gt];je?ue&&t.texSubImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+De,gt+1,0,0,Ce,ve,qt.image[De]):t.texImage2D(i.TEXTURE_CUBE_MAP_POSITIVE_X+De,gt+1,Re,Ce,ve,qt.image[De])}}}E(S)&&S.mipmapsAutoUpdate===!0&&_(i.TEXTURE_CUBE_MAP),Se.__version=oe.version,S.onUpdate&&S.onUpdate(S)}C.__version=S.version}function Ne(C,S,q,de,oe,Se){let Ae=r.convert(q.format,q.colorSpace),te=r.convert(q.type),ie=A(q.internalFormat,Ae,te,q.normalized,q.colorSpace),me=n.get(S),O=n.get(q);if(O.__renderTarget=S,!me.__hasExternalTextures){let se=Math.max(1,S.width>>Se),ne=Math.max(1,S.height>>Se);oe===i.TEXTURE_3D||oe===i.TEXTURE_2D_ARRAY?t.texImage3D(oe,Se,ie,se,ne,S.depth,0,Ae,te,null):t.texImage2D(oe,Se,ie,se,ne,0,Ae,te,null)}t.bindFramebuffer(i.FRAMEBUFFER,C),we(S)?a.framebufferTexture2DMultisampleEXT(i.FRAMEBUFFER,de,oe,O.__webglTexture,0,ht(S)):(oe===i.TEXTURE_2D||oe>=i.TEXTURE_CUBE_MAP_POSITIVE_X&&oe<=i.TEXTURE_CUBE_MAP_NEGATIVE_Z)&&i.framebufferTexture2D(i.FRAMEBUFFER,de,oe,O.__webglTexture,Se),t.bindFramebuffer(i.FRAMEBUFFER,null)}function nt(C,S,q){if(i.bindRenderbuffer(i.RENDERBUFFER,C),S.depthBuffer){let de=S.depthTexture,oe=de&&de.isDepthTexture?de.type:null,Se=y(S.stencilBuffer,oe),Ae=S.stencilBuffer?i.DEPTH_STENCIL_ATTACHMENT:i.DEPTH_ATTACHMENT;we(S)?a.renderbufferStorageMultisampleEXT(i.RENDERBUFFER,ht(S),Se,S.width,S.height):q?i.renderbufferStorageMultisample(i.RENDERBUFFER,ht(S),Se,S.width,S.height):i.renderbufferStorage(i.RENDERBUFFER,Se,S.width,S.height),i.framebufferRenderbuffer(i.FRAMEBUFFER,Ae,i.RENDERBUFFER,C)}else{let de=S.textures;for(let oe=0;oe<de.length;oe++){let Se=de[oe],Ae=r.convert(Se.format,Se.colorSpace),te=r.convert(Se.type),ie=A(Se.internalFormat,Ae,te,Se.normalized,Se.colorSpace);we(S)?a.renderbufferStorageMultisampleEXT(i.RENDERBUFFER,ht(S),ie,S.width,S.height):q?i.renderbufferStorageMultisample(i.RENDERBUFFER,ht(S),ie,S.width,S.height):i.renderbufferStorage(i.RENDERBUFFER,ie,S.width,S.height)}}i.bindRenderbuffer(i.RENDERBUFFER,null)}function ze(C,S,q){let de=S.isWebGLCubeRenderTarget===!0;if(t.bindFramebuffer(i.FRAMEBUFFER,C),!(S.depthTexture&&S.depthTexture.isDepthTexture))throw new Error("THREE.WebGLTextures: renderTarget.depthTexture must be an instance of THREE.DepthTexture.");let oe=n.get(S.depthTexture);oe.__renderTarget=S;let Se=de?S.depthTexture.image[0]:S.depthTexture.image;(!oe.__webglTexture||Se.width!==S.width||Se.height!==S.height)&&(Se.width=S.width,Se.height=S.height,S.depthTexture.needsUpdate=!0),de?be(S.depthTexture,0):ge(S.depthTexture,0);let Ae=oe.__webglTexture,te=ht(S),ie=de?i.TEXTURE_CUBE_MAP_POSITIVE_X+q:i.TEXTURE_2D,me=S.depthTexture.format===As?i.DEPTH_STENCIL_ATTACHMENT:i.DEPTH_ATTACHMENT;if(S.depthTexture.format===gs)we(S)?a.framebufferTexture2DMultisampleEXT(i.FRAMEBUFFER,me,ie,Ae,0,te):i.framebufferTexture2D(i.FRAMEBUFFER,me,ie,Ae,0);else if(S.depthTexture.format===As)we(S)?a.framebufferTexture2DMultisampleEXT(i.FRAMEBUFFER,me,ie,Ae,0,te):i.framebufferTexture2D(i.FRAMEBUFFER,me,ie,Ae,0);else throw new Error("THREE.WebGLTextures: Unknown depthTexture format.")}function mt(C){let S=n.get(C),q=C.isWebGLCubeRenderTarget===!0;if(S.__boundDepthTexture!==C.depthTexture){let de=C.depthTexture;if(S.__depthDisposeCallback&&S.__depthDisposeCallback(),de){let oe=()=>{delete S.__boundDepthTexture,delete S.__depthDisposeCallback,de.removeEventListener("dispose",oe)};de.addEventListener("dispose",oe),S.__depthDisposeCallback=oe}S.__boundDepthTexture=de}if(C.depthTexture&&!S.__autoAllocateDepthBuffer)if(q)for(let de=0;de<6;de++)ze(S.__webglFramebuffer[de],C,de);else C.texture.mipmaps.length>0?ze(S.__webglFramebuffer[0],C,0):ze(S.__webglFramebuffer,C,0);else if(q){S.__webglDepthbuffer=[];for(let de=0;de<6;de++)if(t.bindFramebuffer(i.FRAMEBUFFER,S.__webglFramebuffer[de]),S.__webglDepthbuffer[de]===void 0)S.__webglDepthbuffer[de]=i.createRenderbuffer(),nt(S.__webglDepthbuffer[de],C,!1);else{let oe=C.stencilBuffer?i.DEPTH_STENCIL_ATTACHMENT:i.DEPTH_ATTACHMENT,Se=S.__webglDepthbuffer[de];i.bindRenderbuffer(i.RENDERBUFFER,Se),i.framebufferRenderbuffer(i.FRAMEBUFFER,oe,i.RENDERBUFFER,Se)}}else if(C.texture.mipmaps.length>0?t.bindFramebuffer(i.FRAMEBUFFER,S.__webglFramebuffer[0]):t.bindFramebuffer(i.FRAMEBUFFER,S.__webglFramebuffer),S.__webglDepthbuffer===void 0)S.__webglDepthbuffer=i.createRenderbuffer(),nt(S.__webglDepthbuffer,C,!1);else{let oe=C.stencilBuffer?i.DEPTH_STENCIL_ATTACHMENT:i.DEPTH_ATTACHMENT,Se=S.__webglDepthbuffer;i.bindRenderbuffer(i.RENDERBUFFER,Se),i.framebufferRenderbuffer(i.FRAMEBUFFER,oe,i.RENDERBUFFER,Se)}t.bindFramebuffer(i.FRAMEBUFFER,null)}function ft(C,S,q){let de=n.get(C);S!==void 0&&Ne(de.__webglFramebuffer,C,C.texture,i.COLOR_ATTACHMENT0,i.TEXTURE_2D,0),q!==void 0&&mt(C)}function xt(C){let S=C.texture,q=n.get(C),de=n.get(S);C.addEventListener("dispose",z),U(C);let oe=C.textures,Se=C.isWebGLCubeRenderTarget===!0,Ae=oe.length>1;if(Ae||(de.__webglTexture===void 0&&(de.__webglTexture=i.createTexture()),de.__version=S.version,o.memory.textures++),Se){q.__webglFramebuffer=[];for(let te=0;te<6;te++)if(S.mipmaps.length>0){q.__webglFramebuffer[te]=[];for(let ie=0;ie<S.mipmaps.length;ie++)q.__webglFramebuffer[te][ie]=i.createFramebuffer()}else q.__webglFramebuffer[te]=i.createFramebuffer()}else{if(S.mipmaps.length>0){q.__webglFramebuffer=[];for(let te=0;te<S.mipmaps.length;te++)q.__webglFramebuffer[te]=i.createFramebuffer()}else q.__webglFramebuffer=i.createFramebuffer();if(Ae)for(let te=0,ie=oe.length;te<ie;te++){let me=n.get(oe[te]);me.__webglTexture===void 0&&(me.__webglTexture=i.createTexture(),o.memory.textures++)}if(C.samples>0&&we(C)===!1){q.__webglMultisampledFramebuffer=i.createFramebuffer(),q.__webglColorRenderbuffer=[],t.bindFramebuffer(i.FRAMEBUFFER,q.__webglMultisampledFramebuffer);for(let te=0;te<oe.length;te++){let ie=oe[te];q.__webglColorRenderbuffer[te]=i.createRenderbuffer(),i.bindRenderbuffer(i.RENDERBUFFER,q.__webglColorRenderbuffer[te]);let me=r.convert(ie.format,ie.colorSpace),O=r.convert(ie.type),se=A(ie.internalFormat,me,O,ie.normalized,ie.colorSpace,C.isXRRenderTarget===!0),ne=ht(C);i.renderbufferStorageMultisample(i.RENDERBUFFER,ne,se,C.width,C.height),i.framebufferRenderbuffer(i.FRAMEBUFFER,i.COLOR_ATTACHMENT0+te,i.RENDERBUFFER,q.__webglColorRenderbuffer[te])}i.bindRenderbuffer(i.RENDERBUFFER,null),C.depthBuffer&&(q.__webglDepthRenderbuffer=i.createRenderbuffer(),nt(q.__webglDepthRenderbuffer,C,!0)),t.bindFramebuffer(i.FRAMEBUFFER,null)}}if(Se){t.bindTexture(i.TEXTURE_CUBE_MAP,de.__webglTexture),rt(i.TEXTURE_CUBE_MAP,S);for(let te=0;te<6;te++)if(S.mipmaps.length>0)for(let ie=0;ie<S.mipmaps.length;ie++)Ne(q.__webglFramebuffer[te][ie],C,S,i.COLOR_ATTACHMENT0,i.TEXTURE_CUBE_MAP_POSITIVE_X+te,ie);else Ne(q.__webglFramebuffer[te],C,S,i.COLOR_ATTACHMENT0,i.TEXTURE_CUBE_MAP_POSITIVE_X+te,0);E(S)?_(i.TEXTURE_CUBE_MAP):S.mipmaps.length>0&&i.texParameteri(i.TEXTURE_CUBE_MAP,i.TEXTURE_MAX_LEVEL,S.mipmaps.length-1),t.unbindTexture()}else if(Ae){for(let te=0,ie=oe.length;te<ie;te++){let me=oe[te],O=n.get(me),se=i.TEXTURE_2D;(C.isWebGL3DRenderTarget||C.isWebGLArrayRenderTarget)&&(se=C.isWebGL3DRenderTarget?i.TEXTURE_3D:i.TEXTURE_2D_ARRAY),t.bindTexture(se,O.__webglTexture),rt(se,me),Ne(q.__webglFramebuffer,C,me,i.COLOR_ATTACHMENT0+te,se,0),E(me)&&_(se)}t.unbindTexture()}else{let te=i.TEXTURE_2D;if((C.isWebGL3DRenderTarget||C.isWebGLArrayRenderTarget)&&(te=C.isWebGL3DRenderTarget?i.TEXTURE_3D:i.TEXTURE_2D_ARRAY),t.bindTexture(te,de.__webglTexture),rt(te,S),S.mipmaps.length>0)for(let ie=0;ie<S.mipmaps.length;ie++)Ne(q.__webglFramebuffer[ie],C,S,i.COLOR_ATTACHMENT0,te,ie);else Ne(q.__webglFramebuffer,C,S,i.COLOR_ATTACHMENT0,te,0);E(S)?_(te):S.mipmaps.length>0&&i.texParameteri(te,i.TEXTURE_MAX_LEVEL,S.mipmaps.length-1),t.unbindTexture()}C.depthBuffer&&mt(C)}function F(C){let S=C.textures;for(let q=0,de=S.length;q<de;q++){let oe=S[q];if(E(oe)&&oe.mipmapsAutoUpdate===!0){let Se=R(C),Ae=n.get(oe).__webglTexture;t.bindTexture(Se,Ae),_(Se),t.unbindTexture()}}}let Me=[];function qe(C){if(C.samples>0){if(we(C)===!1){let S=C.textures,q=C.width,de=C.height,oe=i.COLOR_BUFFER_BIT,Se=C.stencilBuffer?i.DEPTH_STENCIL_ATTACHMENT:i.DEPTH_ATTACHMENT,Ae=n.get(C),te=S.length>1;if(te)for(let me=0;me<S.length;me++)t.bindFramebuffer(i.FRAMEBUFFER,Ae.__webglMultisampledFramebuffer),i.framebufferRenderbuffer(i.FRAMEBUFFER,i.COLOR_ATTACHMENT0+me,i.RENDERBUFFER,null),t.bindFramebuffer(i.FRAMEBUFFER,Ae.__webglFramebuffer),i.framebufferTexture2D(i.DRAW_FRAMEBUFFER,i.COLOR_ATTACHMENT0+me,i.TEXTURE_2D,null,0);t.bindFramebuffer(i.READ_FRAMEBUFFER,Ae.__webglMultisampledFramebuffer),C.texture.mipmaps.length>0?t.bindFramebuffer(i.DRAW_FRAMEBUFFER,Ae.__webglFramebuffer[0]):t.bindFramebuffer(i.DRAW_FRAMEBUFFER,Ae.__webglFramebuffer);for(let me=0;me<S.length;me++){if(C.resolveDepthBuffer&&(C.depthBuffer&&(oe|=i.DEPTH_BUFFER_BIT),C.stencilBuffer&&C.resolveStencilBuffer&&(oe|=i.STENCIL_BUFFER_BIT)),te){i.framebufferRenderbuffer(i.READ_FRAMEBUFFER,i.COLOR_ATTACHMENT0,i.RENDERBUFFER,Ae.__webglColorRenderbuffer[me]);let O=n.get(S[me]).__webglTexture;i.framebufferTexture2D(i.DRAW_FRAMEBUFFER,i.COLOR_ATTACHMENT0,i.TEXTURE_2D,O,0)}i.blitFramebuffer(0,0,q,de,0,0,q,de,oe,i.NEAREST),l===!0&&(Me.length=0,Me.push(i.COLOR_ATTACHMENT0+me),C.depthBuffer&&C.storeMultisampledDepthBuffer===!1&&Me.push(Se),i.invalidateFramebuffer(i.READ_FRAMEBUFFER,Me))}if(t.bindFramebuffer(i.READ_FRAMEBUFFER,null),t.bindFramebuffer(i.DRAW_FRAMEBUFFER,null),te)for(let me=0;me<S.length;me++){t.bindFramebuffer(i.FRAMEBUFFER,Ae.__webglMultisampledFramebuffer),i.framebufferRenderbuffer(i.FRAMEBUFFER,i.COLOR_ATTACHMENT0+me,i.RENDERBUFFER,Ae.__webglColorRenderbuffer[me]);let O=n.get(S[me]).__webglTexture;t.bindFramebuffer(i.FRAMEBUFFER,Ae.__webglFramebuffer),i.framebufferTexture2D(i.DRAW_FRAMEBUFFER,i.COLOR_ATTACHMENT0+me,i.TEXTURE_2D,O,0)}t.bindFramebuffer(i.DRAW_FRAMEBUFFER,Ae.__webglMultisampledFramebuffer)}else if(C.depthBuffer&&C.storeMultisampledDepthBuffer===!1&&l){let S=C.stencilBuffer?i.DEPTH_STENCIL_ATTACHMENT:i.DEPTH_ATTACHMENT;i.invalidateFramebuffer(i.DRAW_FRAMEBUFFER,[S])}}}function ht(C){return Math.min(s.maxSamples,C.samples)}function we(C){let S=n.get(C);return C.samples>0&&e.has("WEBGL_multisampled_render_to_texture")===!0&&S.__useRenderToTexture!==!1}function Dt(C){let S=o.render.frame;h.get(C)!==S&&(h.set(C,S),C.update())}function Ze(C,S){let q=C.colorSpace,de=C.format,oe=C.type;return C.isCompressedTexture===!0||C.isVideoTexture===!0||q!==fa&&q!==Bi&&(Tt.getTransfer(q)===Ft?(de!==oi||oe!==Jn)&&tt("WebGLTextures: sRGB encoded textures have to use RGBAFormat and UnsignedByteType."):at("WebGLTextures: Unsupported texture color space:",q)),S}function et(C){return typeof HTMLImageElement<"u"&&C instanceof HTMLImageElement?(c.width=C.naturalWidth||C.width,c.height=C.naturalHeight||C.height):typeof VideoFrame<"u"&&C instanceof VideoFrame?(c.width=C.displayWidth,c.height=C.displayHeight):(c.width=C.width,c.height=C.height),c}this.allocateTextureUnit=he,this.resetTextureUnits=K,this.getTextureUnits=ee,this.setTextureUnits=fe,this.setTexture2D=ge,this.setTexture2DArray=_e,this.setTexture3D=Le,this.setTextureCube=be,this.rebindTextures=ft,this.setupRenderTarget=xt,this.updateRenderTargetMipmap=F,this.updateMultisampleRenderTarget=qe,this.setupDepthRenderbuffer=mt,this.setupFrameBufferTexture=Ne,this.useMultisampledRTT=we,this.dispose=B}function ew(i,e){function t(n,s=Bi){let r,o=Tt.getTransfer(s);if(n===Jn)return i.UNSIGNED_BYTE;if(n===Mc)return i.UNSIGNED_SHORT_4_4_4_4;if(n===Sc)return i.UNSIGNED_SHORT_5_5_5_1;if(n===ef)return i.UNSIGNED_INT_5_9_9_9_REV;if(n===tf)return i.UNSIGNED_INT_10F_11F_11F_REV;if(n===ju)return i.BYTE;if(n===Qu)return i.SHORT;if(n===Eo)return i.UNSIGNED_SHORT;if(n===vc)return i.INT;if(n===Fi)return i.UNSIGNED_INT;if(n===wi)return i.FLOAT;if(n===Oi)return i.HALF_FLOAT;if(n===nf)return i.ALPHA;if(n===sf)return i.RGB;if(n===oi)return i.RGBA;if(n===gs)return i.DEPTH_COMPONENT;if(n===As)return i.DEPTH_STENCIL;if(n===bc)return i.RED;if(n===wc)return i.RED_INTEGER;if(n===Js)return i.RG;if(n===Ac)return i.RG_INTEGER;if(n===Tc)return i.RGBA_INTEGER;if(n===Va||n===Ha||n===Wa||n===Xa)if(o===Ft)if(r=e.get("WEBGL_compressed_texture_s3tc_srgb"),r!==null){if(n===Va)return r.COMPRESSED_SRGB_S3TC_DXT1_EXT;if(n===Ha)return r.COMPRESSED_SRGB_ALPHA_S3TC_DXT1_EXT;if(n===Wa)return r.COMPRESSED_SRGB_ALPHA_S3TC_DXT3_EXT;if(n===Xa)return r.COMPRESSED_SRGB_ALPHA_S3TC_DXT5_EXT}else return null;else if(r=e.get("WEBGL_compressed_texture_s3tc"),r!==null){if(n===Va)return r.COMPRESSED_RGB_S3TC_DXT1_EXT;if(n===Ha)return r.COMPRESSED_RGBA_S3TC_DXT1_EXT;if(n===Wa)return r.COMPRESSED_RGBA_S3TC_DXT3_EXT;if(n===Xa)return r.COMPRESSED_RGBA_S3TC_DXT5_EXT}else return null;if(n===Ec||n===Rc||n===Cc||n===Ic)if(r=e.get("WEBGL_compressed_texture_pvrtc"),r!==null){if(n===Ec)return r.COMPRESSED_RGB_PVRTC_4BPPV1_IMG;if(n===Rc)return r.COMPRESSED_RGB_PVRTC_2BPPV1_IMG;if(n===Cc)return r.COMPRESSED_RGBA_PVRTC_4BPPV1_IMG;if(n===Ic)return r.COMPRESSED_RGBA_PVRTC_2BPPV1_IMG}else return null;if(n===Pc||n===Lc||n===Nc||n===Dc||n===Uc||n===qa||n===Fc)if(r=e.get("WEBGL_compressed_texture_etc"),r!==null){if(n===Pc||n===Lc)return o===Ft?r.COMPRESSED_SRGB8_ETC2:r.COMPRESSED_RGB8_ETC2;if(n===Nc)return o===Ft?r.COMPRESSED_SRGB8_ALPHA8_ETC2_EAC:r.COMPRESSED_RGBA8_ETC2_EAC;if(n===Dc)return r.COMPRESSED_R11_EAC;if(n===Uc)return r.COMPRESSED_SIGNED_R11_EAC;if(n===qa)return r.COMPRESSED_RG11_EAC;if(n===Fc)return r.COMPRESSED_SIGNED_RG11_EAC}else return null;if(n===Oc||n===Bc||n===zc||n===kc||n===Gc||n===Vc||n===Hc||n===Wc||n===Xc||n===qc||n===Yc||n===$c||n===Zc||n===Jc)if(r=e.get("WEBGL_compressed_texture_astc"),r!==null){if(n===Oc)return o===Ft?r.COMPRESSED_SRGB8_ALPHA8_ASTC_4x4_KHR:r.COMPRESSED_RGBA_ASTC_4x4_KHR;if(n===Bc)return o===Ft?r.COMPRESSED_SRGB8_ALPHA8_ASTC_5x4_KHR:r.COMPRESSED_RGBA_ASTC_5x4_KHR;if(n===zc)return o===Ft?r.COMPRESSED_SRGB8_ALPHA8_ASTC_5x5_KHR:r.COMPRESSED_RGBA_ASTC_5x5_KHR;if(n===kc)return o===Ft?r.COMPRESSED_SRGB8_ALPHA8_ASTC_6x5_KHR:r.COMPRESSED_RGBA_ASTC_6x5_KHR;if(n===Gc)return o===Ft?r.COMPRESSED_SRGB8_ALPHA8_ASTC_6x6_KHR:r.COMPRESSED_RGBA_ASTC_6x6_KHR;if(n===Vc)return o===Ft?r.COMPRESSED_SRGB8_ALPHA8_ASTC_8x5_KHR:r.COMPRESSED_RGBA_ASTC_8x5_KHR;if(n===Hc)return o===Ft?r.COMPRESSED_SRGB8_ALPHA8_ASTC_8x6_KHR:r.COMPRESSED_RGBA_ASTC_8x6_KHR;if(n===Wc)return o===Ft?r.COMPRESSED_SRGB8_ALPHA8_ASTC_8x8_KHR:r.COMPRESSED_RGBA_ASTC_8x8_KHR;if(n===Xc)return o===Ft?r.COMPRESSED_SRGB8_ALPHA8_ASTC_10x5_KHR:r.COMPRESSED_RGBA_ASTC_10x5_KHR;if(n===qc)return o===Ft?r.COMPRESSED_SRGB8_ALPHA8_ASTC_10x6_KHR:r.COMPRESSED_RGBA_ASTC_10x6_KHR;if(n===Yc)return o===Ft?r.COMPRESSED_SRGB8_ALPHA8_ASTC_10x8_KHR:r.COMPRESSED_RGBA_ASTC_10x8_KHR;if(n===$c)return o===Ft?r.COMPRESSED_SRGB8_ALPHA8_ASTC_10x10_KHR:r.COMPRESSED_RGBA_ASTC_10x10_KHR;if(n===Zc)return o===Ft?r.COMPRESSED_SRGB8_ALPHA8_ASTC_12x10_KHR:r.COMPRESSED_RGBA_ASTC_12x10_KHR;if(n===Jc)return o===Ft?r.COMPRESSED_SRGB8_ALPHA8_ASTC_12x12_KHR:r.COMPRESSED_RGBA_ASTC_12x12_KHR}else return null;if(n===Kc||n===jc||n===Qc)if(r=e.get("EXT_texture_compression_bptc"),r!==null){if(n===Kc)return o===Ft?r.COMPRESSED_SRGB_ALPHA_BPTC_UNORM_EXT:r.COMPRESSED_RGBA_BPTC_UNORM_EXT;if(n===jc)return r.COMPRESSED_RGB_BPTC_SIGNED_FLOAT_EXT;if(n===Qc)return r.COMPRESSED_RGB_BPTC_UNSIGNED_FLOAT_EXT}else return null;if(n===eh||n===th||n===Ya||n===nh)if(r=e.get("EXT_texture_compression_rgtc"),r!==null){if(n===eh)return r.COMPRESSED_RED_RGTC1_EXT;if(n===th)return r.COMPRESSED_SIGNED_RED_RGTC1_EXT;if(n===Ya)return r.COMPRESSED_RED_GREEN_RGTC2_EXT;if(n===nh)return r.COMPRESSED_SIGNED_RED_GREEN_RGTC2_EXT}else return null;return n===vr?i.UNSIGNED_INT_24_8:i[n]!==void 0?i[n]:null}return{convert:t}}var tw=`
void main() {

	gl_Position = vec4( position, 1.0 );

}`,nw=`
uniform sampler2DArray depthColor;
uniform float depthWidth;
uniform float depthHeight;

void main() {

	vec2 coord = vec2( gl_FragCoord.x / depthWidth, gl_FragCoord.y / depthHeight );

	if ( coord.x >= 1.0 ) {

		gl_FragDepth = texture( depthColor, vec3( coord.x - 1.0, coord.y, 1 ) ).r;

	} else {

		gl_FragDepth = texture( depthColor, vec3( coord.x, coord.y, 0 ) ).r;

	}

}`,Tf=class{constructor(){this.texture=null,this.mesh=null,this.depthNear=0,this.depthFar=0}init(e,t){if(this.texture===null){let n=new Ma(e.texture);(e.depthNear!==t.depthNear||e.depthFar!==t.depthFar)&&(this.depthNear=e.depthNear,this.depthFar=e.depthFar),this.texture=n}}getMesh(e){if(this.texture!==null&&this.mesh===null){let t=e.cameras[0].viewport,n=new Si({vertexShader:tw,fragmentShader:nw,uniforms:{depthColor:{value:this.texture},depthWidth:{value:t.z},depthHeight:{value:t.w}}});this.mesh=new xn(new Qi(20,20),n)}return this.mesh}reset(){this.texture=null,this.mesh=null}getDepthTexture(){return this.texture}},Ef=class extends Ji{constructor(e,t){super();let n=this,s=null,r=1,o=null,a="local-floor",l=1,c=null,h=null,u=null,f=null,d=null,p=null,x=typeof XRWebGLBinding<"u",m=new Tf,g={},v=t.getContextAttributes(),E=null,_=null,R=[],A=[],y=new Ee,b=null,U=null,I=new Xn;I.viewport=new Qt;let P=new Xn;P.viewport=new Qt;let z=[I,P],V=new gc,N=null,B=null;this.cameraAutoUpdate=!0,this.enabled=!1,this.isPresenting=!1,this.getController=function(j){let ge=R[j];return ge===void 0&&(ge=new uo,R[j]=ge),ge.getTargetRaySpace()},this.getControllerGrip=function(j){let ge=R[j];return ge===void 0&&(ge=new uo,R[j]=ge),ge.getGripSpace()},this.getHand=function(j){let ge=R[j];return ge===void 0&&(ge=new uo,R[j]=ge),ge.getHandSpace()};function X(j){let ge=A.indexOf(j.inputSource);if(ge===-1)return;let _e=R[ge];_e!==void 0&&(_e.update(j.inputSource,j.frame,c||o),_e.dispatchEvent({type:j.type,data:j.inputSource}))}function G(){s.removeEventListener("select",X),s.removeEventListener("selectstart",X),s.removeEventListener("selectend",X),s.removeEventListener("squeeze",X),s.removeEventListener("squeezestart",X),s.removeEventListener("squeezeend",X),s.removeEventListener("end",G),s.removeEventListener("inputsourceschange",le);for(let j=0;j<R.length;j++){let ge=A[j];ge!==null&&(A[j]=null,R[j].disconnect(ge))}N=null,B=null,m.reset();for(let j in g)delete g[j];if(e.setRenderTarget(E),d=null,f=null,u=null,s=null,_=null,he.stop(),n.isPresenting=!1,e.setPixelRatio(b),e.setSize(y.width,y.height,!1),U!==null){let j=U.camera;j.fov=U.fov,j.zoom=U.zoom,j.updateProjectionMatrix(),U=null}n.dispatchEvent({type:"sessionend"})}this.setFramebufferScaleFactor=function(j){r=j,n.isPresenting===!0&&tt("WebXRManager: Cannot change framebuffer scale while presenting.")},this.setReferenceSpaceType=function(j){a=j,n.isPresenting===!0&&tt("WebXRManager: Cannot change reference space type while presenting.")},this.getReferenceSpace=function(){return c||o},this.setReferenceSpace=function(j){c=j},this.getBaseLayer=function(){return f!==null?f:d},this.getBinding=function(){return u===null&&x&&(u=new XRWebGLBinding(s,t)),u},this.getFrame=function(){return p},this.getSession=function(){return s},this.setSession=async function(j){if(s=j,s!==null){if(E=e.getRenderTarget(),s.addEventListener("select",X),s.addEventListener("selectstart",X),s.addEventListener("selectend",X),s.addEventListener("squeeze",X),s.addEventListener("squeezestart",X),s.addEventListener("squeezeend",X),s.addEventListener("end",G),s.addEventListener("inputsourceschange",le),v.xrCompatible!==!0&&await t.makeXRCompatible(),b=e.getPixelRatio(),e.getSize(y),x&&"createProjectionLayer"in XRWebGLBinding.prototype){let _e=null,Le=null,be=null;v.depth&&(be=v.stencil?t.DEPTH24_STENCIL8:t.DEPTH_COMPONENT24,_e=v.stencil?As:gs,Le=v.stencil?vr:Fi);let He={colorFormat:t.RGBA8,depthFormat:be,scaleFactor:r};u=this.getBinding(),f=u.createProjectionLayer(He),s.updateRenderState({layers:[f]}),e.setPixelRatio(1),e.setSize(f.textureWidth,f.textureHeight,!1),_=new si(f.textureWidth,f.textureHeight,{format:oi,type:Jn,depthTexture:new Ss(f.textureWidth,f.textureHeight,Le,void 0,void 0,void 0,void 0,void 0,void 0,_e),stencilBuffer:v.stencil,colorSpace:e.outputColorSpace,samples:v.antialias?4:0,resolveDepthBuffer:f.ignoreDepthValues===!1,resolveStencilBuffer:f.ignoreDepthValues===!1,storeMultisampledDepthBuffer:f.ignoreDepthValues===!1,storeMultisampledStencilBuffer:f.ignoreDepthValues===!1})}else{let _e={antialias:v.antialias,alpha:!0,depth:v.depth,stencil:v.stencil,framebufferScaleFactor:r};d=new XRWebGLLayer(s,t,_e),s.updateRenderState({baseLayer:d}),e.setPixelRatio(1),e.setSize(d.framebufferWidth,d.framebufferHeight,!1),_=new si(d.framebufferWidth,d.framebufferHeight,{format:oi,type:Jn,colorSpace:e.outputColorSpace,stencilBuffer:v.stencil,resolveDepthBuffer:d.ignoreDepthValues===!1,resolveStencilBuffer:d.ignoreDepthValues===!1,storeMultisampledDepthBuffer:d.ignoreDepthValues===!1,storeMultisampledStencilBuffer:d.ignoreDepthValues===!1})}_.isXRRenderTarget=!0,this.setFoveation(l),c=null,o=await s.requestReferenceSpace(a),he.setContext(s),he.start(),n.isPresenting=!0,n.dispatchEvent({type:"sessionstart"})}},this.getEnvironmentBlendMode=function(){if(s!==null)return s.environmentBlendMode},this.getDepthTexture=function(){return m.getDepthTexture()};function le(j){for(let ge=0;ge<j.removed.length;ge++){let _e=j.removed[ge],Le=A.indexOf(_e);Le>=0&&(A[Le]=null,R[Le].disconnect(_e))}for(let ge=0;ge<j.added.length;ge++){let _e=j.added[ge],Le=A.indexOf(_e);if(Le===-1){for(let He=0;He<R.length;He++)if(He>=A.length){A.push(_e),Le=He;break}else if(A[He]===null){A[He]=_e,Le=He;break}if(Le===-1)break}let be=R[Le];be&&be.connect(_e)}}function Y(j,ge){ge===null?j.matrixWorld.copy(j.matrix):j.matrixWorld.multiplyMatrices(ge.matrixWorld,j.matrix),j.matrixWorldInverse.copy(j.matrixWorld).invert()}this.updateCamera=function(j){if(s===null)return;let ge=j.near,_e=j.far;m.texture!==null&&(m.depthNear>0&&(ge=m.depthNear),m.depthFar>0&&(_e=m.depthFar)),V.near=P.near=I.near=ge,V.far=P.far=I.far=_e,(N!==V.near||B!==V.far)&&(s.updateRenderState({depthNear:V.near,depthFar:V.far}),N=V.near,B=V.far),V.layers.mask=j.layers.mask|6,I.layers.mask=V.layers.mask&-5,P.layers.mask=V.layers.mask&-3;let Le=j.parent,be=V.cameras;Y(V,Le);for(let He=0;He<be.length;He++)Y(be[He],Le);V.projectionMatrix.copy(I.projectionMatrix),V.projectionMatrixInverse.copy(I.projectionMatrixInverse),U===null&&j.isPerspectiveCamera&&(U={camera:j,fov:j.fov,zoom:j.zoom}),K(j,V,Le)};function K(j,ge,_e){_e===null?j.matrix.copy(ge.matrixWorld):(j.matrix.copy(_e.matrixWorld),j.matrix.invert(),j.matrix.multiply(ge.matrixWorld)),j.matrix.decompose(j.position,j.quaternion,j.scale),j.updateMatrixWorld(!0),j.projectionMatrix.copy(ge.projectionMatrix),j.projectionMatrixInverse.copy(ge.projectionMatrixInverse),j.isPerspectiveCamera&&(j.fov=lo*2*Math.atan(1/j.projectionMatrix.elements[5]),j.zoom=1)}this.getCamera=function(){return V},this.getFoveation=function(){if(!(f===null&&d===null))return l},this.setFoveation=function(j){l=j,f!==null&&(f.fixedFoveation=j),d!==null&&d.fixedFoveation!==void 0&&(d.fixedFoveation=j)},this.hasDepthSensing=function(){return m.texture!==null},this.getDepthSensingMesh=function(){return m.getMesh(V)},this.getCameraTexture=function(j){return g[j]};let ee=null;function fe(j,ge){if(h=ge.getViewerPose(c||o),p=ge,h!==null){let _e=h.views;d!==null&&(e.setRenderTargetFramebuffer(_,d.framebuffer),e.setRenderTarget(_));let Le=!1;_e.length!==V.cameras.length&&(V.cameras.length=0,Le=!0);for(let Ke=0;Ke<_e.length;Ke++){let rt=_e[Ke],it=null;if(d!==null)it=d.getViewport(rt);else{let ye=u.getViewSubImage(f,rt);it=ye.viewport,Ke===0&&(e.setRenderTargetTextures(_,ye.colorTexture,ye.depthStencilTexture),e.setRenderTarget(_))}let re=z[Ke];re===void 0&&(re=new Xn,re.layers.enable(Ke),re.viewport=new Qt,z[Ke]=re),re.matrix.fromArray(rt.transform.matrix),re.matrix.decompose(re.position,re.quaternion,re.scale),re.projectionMatrix.fromArray(rt.projectionMatrix),re.projectionMatrixInverse.copy(re.projectionMatrix).invert(),re.viewport.set(it.x,it.y,it.width,it.height),Ke===0&&(V.matrix.copy(re.matrix),V.matrix.decompose(V.position,V.quaternion,V.scale)),Le===!0&&V.cameras.push(re)}let be=s.enabledFeatures;if(be&&be.includes("depth-sensing")&&s.depthUsage=="gpu-optimized"&&x){u=n.getBinding();let Ke=u.getDepthInformation(_e[0]);Ke&&Ke.isValid&&Ke.texture&&m.init(Ke,s.renderState)}if(be&&be.includes("camera-access")&&x){e.state.unbindTexture(),u=n.getBinding();for(let Ke=0;Ke<_e.length;Ke++){let rt=_e[Ke].camera;if(rt){let it=g[rt];it||(it=new Ma,g[rt]=it);let re=u.getCameraImage(rt);it.sourceTexture=re}}}}for(let _e=0;_e<R.length;_e++){let Le=A[_e],be=R[_e];Le!==null&&be!==void 0&&be.update(Le,ge,c||o)}ee&&ee(j,ge),ge.detectedPlanes&&n.dispatchEvent({type:"planesdetected",data:ge}),p=null}let he=new Jm;he.setAnimationLoop(fe),this.setAnimationLoop=function(j){ee=j},this.dispose=function(){}}},iw=new Rt,og=new dt;og.set(-1,0,0,0,1,0,0,0,1);function sw(i,e){function t(m,g){m.matrixAutoUpdate===!0&&m.updateMatrix(),g.value.copy(m.matrix)}function n(m,g){g.color.getRGB(m.fogColor.value,pf(i)),g.isFog?(m.fogNear.value=g.near,m.fogFar.value=g.far):g.isFogExp2&&(m.fogDensity.value=g.density)}function s(m,g,v,E,_){g.isNodeMaterial?g.uniformsNeedUpdate=!1:g.isMeshBasicMaterial?r(m,g):g.isMeshLambertMaterial?(r(m,g),g.envMap&&(m.envMapIntensity.value=g.envMapIntensity)):g.isMeshToonMaterial?(r(m,g),u(m,g)):g.isMeshPhongMaterial?(r(m,g),h(m,g),g.envMap&&(m.envMapIntensity.value=g.envMapIntensity)):g.isMeshStandardMaterial?(r(m,g),f(m,g),g.isMeshPhysicalMaterial&&d(m,g,_)):g.isMeshMatcapMaterial?(r(m,g),p(m,g)):g.isMeshDepthMaterial?r(m,g):g.isMeshDistanceMaterial?(r(m,g),x(m,g)):g.isMeshNormalMaterial?r(m,g):g.isLineBasicMaterial?(o(m,g),g.isLineDashedMaterial&&a(m,g)):g.isPointsMaterial?l(m,g,v,E):g.isSpriteMaterial?c(m,g):g.isShadowMaterial?(m.color.value.copy(g.color),m.opacity.value=g.opacity):g.isShaderMaterial&&(g.uniformsNeedUpdate=!1)}function r(m,g){m.opacity.value=g.opacity,g.color&&m.diffuse.value.copy(g.color),g.emissive&&m.emissive.value.copy(g.emissive).multiplyScalar(g.emissiveIntensity),g.map&&(m.map.value=g.map,t(g.map,m.mapTransform)),g.alphaMap&&(m.alphaMap.value=g.alphaMap,t(g.alphaMap,m.alphaMapTransform)),g.bumpMap&&(m.bumpMap.value=g.bumpMap,t(g.bumpMap,m.bumpMapTransform),m.bumpScale.value=g.bumpScale,g.side===Rn&&(m.bumpScale.value*=-1)),g.normalMap&&(m.normalMap.value=g.normalMap,t(g.normalMap,m.normalMapTransform),m.normalScale.value.copy(g.normalScale),g.side===Rn&&m.normalScale.value.negate()),g.displacementMap&&(m.displacementMap.value=g.displacementMap,t(g.displacementMap,m.displacementMapTransform),m.displacementScale.value=g.displacementScale,m.displacementBias.value=g.displacementBias),g.emissiveMap&&(m.emissiveMap.value=g.emissiveMap,t(g.emissiveMap,m.emissiveMapTransform)),g.specularMap&&(m.specularMap.value=g.specularMap,t(g.specularMap,m.specularMapTransform)),g.alphaTest>0&&(m.alphaTest.value=g.alphaTest);let v=e.get(g),E=v.envMap,_=v.envMapRotation;E&&(m.envMap.value=E,m.envMapRotation.value.setFromMatrix4(iw.makeRotationFromEuler(_)).transpose(),E.isCubeTexture&&E.isRenderTargetTexture===!1&&m.envMapRotation.value.premultiply(og),m.reflectivity.value=g.reflectivity,m.ior.value=g.ior,m.refractionRatio.value=g.refractionRatio),g.lightMap&&(m.lightMap.value=g.lightMap,m.lightMapIntensity.value=g.lightMapIntensity,t(g.lightMap,m.lightMapTransform)),g.aoMap&&(m.aoMap.value=g.aoMap,m.aoMapIntensity.value=g.aoMapIntensity,t(g.aoMap,m.aoMapTransform))}function o(m,g){m.diffuse.value.copy(g.color),m.opacity.value=g.opacity,g.map&&(m.map.value=g.map,t(g.map,m.mapTransform))}function a(m,g){m.dashSize.value=g.dashSize,m.totalSize.value=g.dashSize+g.gapSize,m.scale.value=g.scale}function l(m,g,v,E){m.diffuse.value.copy(g.color),m.opacity.value=g.opacity,m.size.value=g.size*v,m.scale.value=E*.5,g.map&&(m.map.value=g.map,t(g.map,m.uvTransform)),g.alphaMap&&(m.alphaMap.value=g.alphaMap,t(g.alphaMap,m.alphaMapTransform)),g.alphaTest>0&&(m.alphaTest.value=g.alphaTest)}function c(m,g){m.diffuse.value.copy(g.color),m.opacity.value=g.opacity,m.rotation.value=g.rotation,g.map&&(m.map.value=g.map,t(g.map,m.mapTransform)),g.alphaMap&&(m.alphaMap.value=g.alphaMap,t(g.alphaMap,m.alphaMapTransform)),g.alphaTest>0&&(m.alphaTest.value=g.alphaTest)}function h(m,g){m.specular.value.copy(g.specular),m.shininess.value=Math.max(g.shininess,1e-4)}function u(m,g){g.gradientMap&&(m.gradientMap.value=g.gradientMap)}function f(m,g){m.metalness.value=g.metalness,g.metalnessMap&&(m.metalnessMap.value=g.metalnessMap,t(g.metalnessMap,m.metalnessMapTransform)),m.roughness.value=g.roughness,g.roughnessMap&&(m.roughnessMap.value=g.roughnessMap,t(g.roughnessMap,m.roughnessMapTransform)),g.envMap&&(m.envMapIntensity.value=g.envMapIntensity)}function d(m,g,v){m.ior.value=g.ior,g.diffuseRoughness>0&&(m.diffuseRoughness.value=g.diffuseRoughness,g.diffuseRoughnessMap&&(m.diffuseRoughnessMap.value=g.diffuseRoughnessMap,t(g.diffuseRoughnessMap,m.diffuseRoughnessMapTransform))),g.sheen>0&&(m.sheenColor.value.copy(g.sheenColor).multiplyScalar(g.sheen),m.sheenRoughness.value=g.sheenRoughness,g.sheenColorMap&&(m.sheenColorMap.value=g.sheenColorMap,t(g.sheenColorMap,m.sheenColorMapTransform)),g.sheenRoughnessMap&&(m.sheenRoughnessMap.value=g.sheenRoughnessMap,t(g.sheenRoughnessMap,m.sheenRoughnessMapTransform))),g.clearcoat>0&&(m.clearcoat.value=g.clearcoat,m.clearcoatRoughness.value=g.clearcoatRoughness,g.clearcoatMap&&(m.clearcoatMap.value=g.clearcoatMap,t(g.clearcoatMap,m.clearcoatMapTransform)),g.clearcoatRoughnessMap&&(m.clearcoatRoughnessMap.value=g.clearcoatRoughnessMap,t(g.clearcoatRoughnessMap,m.clearcoatRoughnessMapTransform)),g.clearcoatNormalMap&&(m.clearcoatNormalMap.value=g.clearcoatNormalMap,t(g.clearcoatNormalMap,m.clearcoatNormalMapTransform),m.clearcoatNormalScale.value.copy(g.clearcoatNormalScale),g.side===Rn&&m.clearcoatNormalScale.value.negate())),g.dispersion>0&&(m.dispersion.value=g.dispersion),g.retroreflectivity>0&&(m.retroreflectivity.value=g.retroreflectivity),g.iridescence>0&&(m.iridescence.value=g.iridescence,m.iridescenceIOR.value=g.iridescenceIOR,m.iridescenceThicknessMinimum.value=g.iridescenceThicknessMinimum,m.iridescenceThicknessMaximum.value=g.iridescenceThicknessMaximum,g.iridescenceMap&&(m.iridescenceMap.value=g.iridescenceMap,t(g.iridescenceMap,m.iridescenceMapTransform)),g.iridescenceThicknessMap&&(m.iridescenceThicknessMap.value=g.iridescenceThicknessMap,t(g.iridescenceThicknessMap,m.iridescenceThicknessMapTransform))),g.transmission>0&&(m.transmission.value=g.transmission,m.transmissionSamplerMap.value=v.texture,m.transmissionSamplerSize.value.set(v.width,v.height),g.transmissionMap&&(m.transmissionMap.value=g.transmissionMap,t(g.transmissionMap,m.transmissionMapTransform)),m.thickness.value=g.thickness,g.thicknessMap&&(m.thicknessMap.value=g.thicknessMap,t(g.thicknessMap,m.thicknessMapTransform)),m.attenuationDistance.value=g.attenuationDistance,m.attenuationColor.value.copy(g.attenuationColor)),g.anisotropy>0&&(m.anisotropyVector.value.set(g.anisotropy*Math.cos(g.anisotropyRotation),g.anisotropy*Math.sin(g.anisotropyRotation)),g.anisotropyMap&&(m.anisotropyMap.value=g.anisotropyMap,t(g.anisotropyMap,m.anisotropyMapTransform))),m.specularIntensity.value=g.specularIntensity,m.specularColor.value.copy(g.specularColor),g.specularColorMap&&(m.specularColorMap.value=g.specularColorMap,t(g.specularColorMap,m.specularColorMapTransform)),g.specularIntensityMap&&(m.specularIntensityMap.value=g.specularIntensityMap,t(g.specularIntensityMap,m.specularIntensityMapTransform))}function p(m,g){g.matcap&&(m.matcap.value=g.matcap)}function x(m,g){let v=e.get(g).light;m.referencePosition.value.setFromMatrixPosition(v.matrixWorld),m.nearDistance.value=v.shadow.camera.near,m.farDistance.value=v.shadow.camera.far}return{refreshFogUniforms:n,refreshMaterialUniforms:s}}function rw(i,e,t,n){let s={},r={};function o(v,E){let _=E.program;n.uniformBlockBinding(v,_,s[v.id])}function a(v,E){let _=s[v.id];_===void 0&&(p(v),_=l(v),s[v.id]=_,v.addEventListener("dispose",m));let R=E.program;n.updateUBOMapping(v,R);let A=e.render.frame;r[v.id]!==A&&(c(v),r[v.id]=A)}function l(v){let E=i.createBuffer(),_=v.__size,R=v.usage;return i.bindBuffer(i.UNIFORM_BUFFER,E),i.bufferData(i.UNIFORM_BUFFER,_,R),i.bindBuffer(i.UNIFORM_BUFFER,null),E}function c(v){let E=s[v.id],_=v.uniforms,R=v.__cache;i.bindBuffer(i.UNIFORM_BUFFER,E);for(let A=0,y=_.length;A<y;A++){let b=_[A];if(Array.isArray(b))for(let U=0,I=b.length;U<I;U++)h(b[U],A,U,R);else h(b,A,0,R)}i.bindBuffer(i.UNIFORM_BUFFER,null)}function h(v,E,_,R){if(f(v,E,_,R)===!0){let A=v.__offset,y=v.value;if(Array.isArray(y)){let b=0;for(let U=0;U<y.length;U++){let I=y[U],P=x(I,!0);u(I,v.__data,b),b+=P.storage/Float32Array.BYTES_PER_ELEMENT}}else u(y,v.__data,0);i.bufferSubData(i.UNIFORM_BUFFER,A,v.__data)}}function u(v,E,_){typeof v=="number"||typeof v=="boolean"?E[_]=v:v.isMatrix3?(E[_]=v.elements[0],E[_+1]=v.elements[1],E[_+2]=v.elements[2],E[_+3]=0,E[_+4]=v.elements[3],E[_+5]=v.elements[4],E[_+6]=v.elements[5],E[_+7]=0,E[_+8]=v.elements[6],E[_+9]=v.elements[7],E[_+10]=v.elements[8],E[_+11]=0):ArrayBuffer.isView(v)?E.set(v.subarray(0,E.length-_),_):v.toArray(E,_)}function f(v,E,_,R){let A=v.value,y=E+"_"+_;if(Array.isArray(A)){R[y]===void 0&&(R[y]=[]);let b=R[y],U=!1;for(let I=0;I<A.length;I++)d(A[I],b,I)===!0&&(U=!0);return U}return d(A,R,y)}function d(v,E,_){if(E[_]===void 0)return typeof v=="number"||typeof v=="boolean"?E[_]=v:ArrayBuffer.isView(v)?E[_]=v.slice():E[_]=v.clone(),!0;{let R=E[_];if(typeof v=="number"||typeof v=="boolean"){if(R!==v)return E[_]=v,!0}else{if(ArrayBuffer.isView(v))return!0;if(R.equals(v)===!1)return R.copy(v),!0}}return!1}function p(v){let E=v.uniforms,_=0,R=16;for(let y=0,b=E.length;y<b;y++){let U=Array.isArray(E[y])?E[y]:[E[y]];for(let I=0,P=U.length;I<P;I++){let z=U[I],V=Array.isArray(z.value)?z.value:[z.value],N=Array.isArray(E[y])||Array.isArray(z.value),B=_;for(let G=0,le=V.length;G<le;G++){let Y=V[G],K=x(Y,N),ee=_%R,fe=ee%K.boundary,he=ee+fe;_+=fe,he!==0&&R-he<K.storage&&(_+=R-he),G===0&&(B=_),_+=K.storage}let X=z.type==="int"?Int32Array:z.type==="uint"?Uint32Array:Float32Array;z.__data=new X((_-B)/Float32Array.BYTES_PER_ELEMENT),z.__offset=B}}let A=_%R;return A>0&&(_+=R-A),v.__size=_,v.__cache={},this}function x(v,E){let _={boundary:0,storage:0};return typeof v=="number"||typeof v=="boolean"?(_.boundary=4,_.storage=4):v.isVector2?(_.boundary=8,_.storage=8):v.isVector3||v.isColor?(_.boundary=16,_.storage=12):v.isVector4?(_.boundary=16,_.storage=16):v.isMatrix3?(_.boundary=16,_.storage=48):v.isMatrix4?(_.boundary=16,_.storage=64):v.isTexture?tt("WebGLRenderer: Texture samplers can not be part of an uniforms group."):ArrayBuffer.isView(v)?(_.boundary=16,_.storage=v.byteLength):tt("WebGLRenderer: Unsupported uniform value type.",v),E===!0&&(_.boundary=16,_.storage=Math.ceil(_.storage/16)*16),_}function m(v){let E=v.target;E.removeEventListener("dispose",m),i.deleteBuffer(s[E.id]),delete s[E.id],delete r[E.id]}function g(){for(let v in s)i.deleteBuffer(s[v]);s={},r={}}return{bind:o,update:a,dispose:g}}var ow=new Uint16Array([12469,15057,12620,14925,13266,14620,13807,14376,14323,13990,14545,13625,14713,13328,14840,12882,14931,12528,14996,12233,15039,11829,15066,11525,15080,11295,15085,10976,15082,10705,15073,10495,13880,14564,13898,14542,13977,14430,14158,14124,14393,13732,14556,13410,14702,12996,14814,12596,14891,12291,14937,11834,14957,11489,14958,11194,14943,10803,14921,10506,14893,10278,14858,9960,14484,14039,14487,14025,14499,13941,14524,13740,14574,13468,14654,13106,14743,12678,14818,12344,14867,11893,14889,11509,14893,11180,14881,10751,14852,10428,14812,10128,14765,9754,14712,9466,14764,13480,14764,13475,14766,13440,14766,13347,14769,13070,14786,12713,14816,12387,14844,11957,14860,11549,14868,11215,14855,10751,14825,10403,14782,10044,14729,9651,14666,9352,14599,9029,14967,12835,14966,12831,14963,12804,14954,12723,14936,12564,14917,12347,14900,11958,14886,11569,14878,11247,14859,10765,14828,10401,14784,10011,14727,9600,14660,9289,14586,8893,14508,8533,15111,12234,15110,12234,15104,12216,15092,12156,15067,12010,15028,11776,14981,11500,14942,11205,14902,10752,14861,10393,14812,9991,14752,9570,14682,9252,14603,8808,14519,8445,14431,8145,15209,11449,15208,11451,15202,11451,15190,11438,15163,11384,15117,11274,15055,10979,14994,10648,14932,10343,14871,9936,14803,9532,14729,9218,14645,8742,14556,8381,14461,8020,14365,7603,15273,10603,15272,10607,15267,10619,15256,10631,15231,10614,15182,10535,15118,10389,15042,10167,14963,9787,14883,9447,14800,9115,14710,8665,14615,8318,14514,7911,14411,7507,14279,7198,15314,9675,15313,9683,15309,9712,15298,9759,15277,9797,15229,9773,15166,9668,15084,9487,14995,9274,14898,8910,14800,8539,14697,8234,14590,7790,14479,7409,14367,7067,14178,6621,15337,8619,15337,8631,15333,8677,15325,8769,15305,8871,15264,8940,15202,8909,15119,8775,15022,8565,14916,8328,14804,8009,14688,7614,14569,7287,14448,6888,14321,6483,14088,6171,15350,7402,15350,7419,15347,7480,15340,7613,15322,7804,15287,7973,15229,8057,15148,8012,15046,7846,14933,7611,14810,7357,14682,7069,14552,6656,14421,6316,14251,5948,14007,5528,15356,5942,15356,5977,15353,6119,15348,6294,15332,6551,15302,6824,15249,7044,15171,7122,15070,7050,14949,6861,14818,6611,14679,6349,14538,6067,14398,5651,14189,5311,13935,4958,15359,4123,15359,4153,15356,4296,15353,4646,15338,5160,15311,5508,15263,5829,15188,6042,15088,6094,14966,6001,14826,5796,14678,5543,14527,5287,14377,4985,14133,4586,13869,4257,15360,1563,15360,1642,15358,2076,15354,2636,15341,3350,15317,4019,15273,4429,15203,4732,15105,4911,14981,4932,14836,4818,14679,4621,14517,4386,14359,4156,14083,3795,13808,3437,15360,122,15360,137,15358,285,15355,636,15344,1274,15322,2177,15281,2765,15215,3223,15120,3451,14995,3569,14846,3567,14681,3466,14511,3305,14344,3121,14037,2800,13753,2467,15360,0,15360,1,15359,21,15355,89,15346,253,15325,479,15287,796,15225,1148,15133,1492,15008,1749,14856,1882,14685,1886,14506,1783,14324,1608,13996,1398,13702,1183]),ts=null;function aw(){return ts===null&&(ts=new _a(ow,16,16,Js,Oi),ts.name="DFG_LUT",ts.minFilter=Pn,ts.magFilter=Pn,ts.wrapS=xi,ts.wrapT=xi,ts.generateMipmaps=!1,ts.needsUpdate=!0),ts}var oh=class{constructor(e={}){let{canvas:t=mm(),context:n=null,depth:s=!0,stencil:r=!1,alpha:o=!1,antialias:a=!1,premultipliedAlpha:l=!0,preserveDrawingBuffer:c=!1,powerPreference:h="default",failIfMajorPerformanceCaveat:u=!1,reversedDepthBuffer:f=!1,outputBufferType:d=Jn}=e;this.isWebGLRenderer=!0;let p;if(n!==null){if(typeof WebGLRenderingContext<"u"&&n instanceof WebGLRenderingContext)throw new Error("THREE.WebGLRenderer: WebGL 1 is not supported since r163.");p=n.getContextAttributes().alpha}else p=o;let x=d,m=new Set([Tc,Ac,wc]),g=new Set([Jn,Fi,Eo,vr,Mc,Sc]),v=new Uint32Array(4),E=new Int32Array(4),_={textures:[],min:[],max:[],resolution:[]},R=null,A=null,y=[],b=[],U=null;this.domElement=t,this.debug={checkShaderErrors:!0,diagnostics:{keywords:!1},onShaderError:null},this.autoClear=!0,this.autoClearColor=!0,this.autoClearDepth=!0,this.autoClearStencil=!0,this.sortObjects=!0,this.clippingPlanes=[],this.localClippingEnabled=!1,this.toneMapping=es,this.toneMappingExposure=1,this.transmissionResolutionScale=1;let I=this,P=!1,z=null,V=null,N=null,B=null;this._outputColorSpace=Wn;let X=0,G=0,le=null,Y=-1,K=null,ee=new Qt,fe=new Qt,he=null,j=new Ve(0),ge=0,_e=t.width,Le=t.height,be=1,He=null,st=null,Ke=new Qt(0,0,_e,Le),rt=new Qt(0,0,_e,Le),it=!1,re=new Ws,ye=new Jl,xe=!1,Be=!1,Ne=new Rt,nt=new k,ze=new Qt,mt={background:null,fog:null,environment:null,overrideMaterial:null,isScene:!0},ft=!1;function xt(){return le===null?be:1}let F=n;function Me(T,H){return t.getContext(T,H)}let qe,ht,we,Dt,Ze,et,C,S,q,de,oe,Se,Ae,te,ie,me,O,se,ne,Ce,ve,Re,je;try{let T={alpha:!0,depth:s,stencil:r,antialias:a,premultipliedAlpha:l,preserveDrawingBuffer:c,powerPreference:h,failIfMajorPerformanceCaveat:u};if("setAttribute"in t&&t.setAttribute("data-engine",`three.js r${"187"}`),t.addEventListener("webglcontextlost",Ye,!1),t.addEventListener("webglcontextrestored",ct,!1),t.addEventListener("webglcontextcreationerror",De,!1),F===null){let H="webgl2";if(F=Me(H,T),F===null)throw Me(H)?new Error("THREE.WebGLRenderer: Error creating WebGL context with your selected attributes."):new Error("THREE.WebGLRenderer: Error creating WebGL context.")}lt()}catch(T){throw t.removeEventListener("webglcontextlost",Ye,!1),t.removeEventListener("webglcontextrestored",ct,!1),t.removeEventListener("webglcontextcreationerror",De,!1),at("WebGLRenderer: "+T.message),T}function lt(){qe=new _S(F),qe.init(),ve=new ew(F,qe),ht=new aS(F,qe,e,ve),we=new jb(F,qe),ht.reversedDepthBuffer&&f&&we.buffers.depth.setReversed(!0),V=F.createFramebuffer(),N=F.createFramebuffer(),B=F.createFramebuffer(),Dt=new MS(F),Ze=new Bb,et=new Qb(F,qe,we,Ze,ht,ve,Dt),C=new xS(I),S=new by(F),Re=new rS(F,S),q=new yS(F,S,Dt,Re),de=new bS(F,q,S,Re,Dt),se=new SS(F,ht,et),ie=new lS(Ze),oe=new Ob(I,C,qe,ht,Re,ie),Se=new sw(I,Ze),Ae=new kb,te=new qb(qe),O=new sS(I,C,we,de,p,l),me=new Kb(I,de,ht),je=new rw(F,Dt,ht,we),ne=new oS(F,qe,Dt),Ce=new vS(F,qe,Dt),Dt.programs=oe.programs,I.capabilities=ht,I.extensions=qe,I.properties=Ze,I.renderLists=Ae,I.shadowMap=me,I.state=we,I.info=Dt}x!==Jn&&(U=new AS(x,t.width,t.height,a,s,r));let ue=new Ef(I,F);this.xr=ue,this.getContext=function(){return F},this.getContextAttributes=function(){return F.getContextAttributes()},this.forceContextLoss=function(){let T=qe.get("WEBGL_lose_context");T&&T.loseContext()},this.forceContextRestore=function(){let T=qe.get("WEBGL_lose_context");T&&T.restoreContext()},this.getPixelRatio=function(){return be},this.setPixelRatio=function(T){T!==void 0&&(be=T,this.setSize(_e,Le,!1))},this.getSize=function(T){return T.set(_e,Le)},this.setSize=function(T,H,Q=!0){if(ue.isPresenting){tt("WebGLRenderer: Can't change size while VR device is presenting.");return}_e=T,Le=H,t.width=Math.floor(T*be),t.height=Math.floor(H*be),Q===!0&&(t.style.width=T+"px",t.style.height=H+"px"),U!==null&&U.setSize(t.width,t.height),this.setViewport(0,0,T,H)},this.getDrawingBufferSize=function(T){return T.set(_e*be,Le*be).floor()},this.setDrawingBufferSize=function(T,H,Q){_e=T,Le=H,be=Q,t.width=Math.floor(T*Q),t.height=Math.floor(H*Q),this.setViewport(0,0,T,H)},this.setEffects=function(T){if(x===Jn){at("WebGLRenderer: setEffects() requires outputBufferType set to HalfFloatType or FloatType.");return}if(T){for(let H=0;H<T.length;H++)if(T[H].isOutputPass===!0){tt("WebGLRenderer: OutputPass is not needed in setEffects(). Tone mapping and color space conversion are applied automatically.");break}}U.setEffects(T||[])},this.getCurrentViewport=function(T){return T.copy(ee)},this.getViewport=function(T){return T.copy(Ke)},this.setViewport=function(T,H,Q,$){T.isVector4?Ke.set(T.x,T.y,T.z,T.w):Ke.set(T,H,Q,$),we.viewport(ee.copy(Ke).multiplyScalar(xt()).round())},this.getScissor=function(T){return T.copy(rt)},this.setScissor=function(T,H,Q,$){T.isVector4?rt.set(T.x,T.y,T.z,T.w):rt.set(T,H,Q,$),we.scissor(fe.copy(rt).multiplyScalar(xt()).round())},this.getScissorTest=function(){return it},this.setScissorTest=function(T){we.setScissorTest(it=T)},this.setOpaqueSort=function(T){He=T},this.setTransparentSort=function(T){st=T},this.getClearColor=function(T){return T.copy(O.getClearColor())},this.setClearColor=function(){O.setClearColor(...arguments)},this.getClearAlpha=function(){return O.getClearAlpha()},this.setClearAlpha=function(){O.setClearAlpha(...arguments)},this.clear=function(T=!0,H=!0,Q=!0){let $=0;if(T){let Z=!1;if(le!==null){let Ie=le.texture.format;Z=m.has(Ie)}if(Z){let Ie=le.texture.type,Ue=g.has(Ie),Pe=O.getClearColor(),Fe=O.getClearAlpha(),Je=Pe.r,ut=Pe.g,Mt=Pe.b;Ue?(v[0]=Je,v[1]=ut,v[2]=Mt,v[3]=Fe,F.clearBufferuiv(F.COLOR,0,v)):(E[0]=Je,E[1]=ut,E[2]=Mt,E[3]=Fe,F.clearBufferiv(F.COLOR,0,E))}else $|=F.COLOR_BUFFER_BIT}H&&($|=F.DEPTH_BUFFER_BIT,this.state.buffers.depth.setMask(!0)),Q&&($|=F.STENCIL_BUFFER_BIT,this.state.buffers.stencil.setMask(4294967295)),$!==0&&F.clear($)},this.clearColor=function(){this.clear(!0,!1,!1)},this.clearDepth=function(){this.clear(!1,!0,!1)},this.clearStencil=function(){this.clear(!1,!1,!0)},this.setNodesHandler=function(T){T.setRenderer(this),z=T},this.dispose=function(){t.removeEventListener("webglcontextlost",Ye,!1),t.removeEventListener("webglcontextrestored",ct,!1),t.removeEventListener("webglcontextcreationerror",De,!1),O.dispose(),Ae.dispose(),te.dispose(),et.dispose(),Ze.dispose(),C.dispose(),de.dispose(),q.dispose(),Re.dispose(),je.dispose(),oe.dispose(),ue.dispose(),ue.removeEventListener("sessionstart",cl),ue.removeEventListener("sessionend",Vi),rs.stop()};function Ye(T){T.preventDefault(),cf("WebGLRenderer: Context Lost."),P=!0}function ct(){cf("WebGLRenderer: Context Restored."),P=!1;let T=Dt.autoReset,H=me.enabled,Q=me.autoUpdate,$=me.needsUpdate,Z=me.type;lt(),Dt.autoReset=T,me.enabled=H,me.autoUpdate=Q,me.needsUpdate=$,me.type=Z}function De(T){at("WebGLRenderer: A WebGL context could not be created. Reason: ",T.statusMessage)}function gt(T){let H=T.target;H.removeEventListener("dispose",gt),qt(H)}function qt(T){zn(T),Ze.remove(T)}function zn(T){let H=Ze.get(T).programs;H!==void 0&&(H.forEach(function(Q){oe.releaseProgram(Q)}),T.isShaderMaterial&&oe.releaseShaderCache(T))}this.renderBufferDirect=function(T,H,Q,$,Z,Ie){H===null&&(H=mt);let Ue=Z.isMesh&&Z.matrixWorld.determinantAffine()<0,Pe=qo(T,H,Q,$,Z);we.setMaterial($,Ue);let Fe=Q.index,Je=1;if($.wireframe===!0){if(Fe=q.getWireframeAttribute(Q),Fe===void 0)return;Je=2}let ut=Q.drawRange,Mt=Q.attributes.position,$e=ut.start*Je,St=(ut.start+ut.count)*Je;Ie!==null&&($e=Math.max($e,Ie.start*Je),St=Math.min(St,(Ie.start+Ie.count)*Je)),Fe!==null?($e=Math.max($e,0),St=Math.min(St,Fe.count)):Mt!=null&&($e=Math.max($e,0),St=Math.min(St,Mt.count));let en=St-$e;if(en<0||en===1/0)return;Re.setup(Z,$,Pe,Q,Fe);let zt,kt=ne;if(Fe!==null&&(zt=S.get(Fe),kt=Ce,kt.setIndex(zt)),Z.isMesh)$.wireframe===!0?(we.setLineWidth($.wireframeLinewidth*xt()),kt.setMode(F.LINES)):kt.setMode(F.TRIANGLES);else if(Z.isLine){let gn=$.linewidth;gn===void 0&&(gn=1),we.setLineWidth(gn*xt()),Z.isLineSegments?kt.setMode(F.LINES):Z.isLineLoop?kt.setMode(F.LINE_LOOP):kt.setMode(F.LINE_STRIP)}else Z.isPoints?kt.setMode(F.POINTS):Z.isSprite&&kt.setMode(F.TRIANGLES);if(Z.isBatchedMesh)if(qe.get("WEBGL_multi_draw"))kt.renderMultiDraw(Z._multiDrawStarts,Z._multiDrawCounts,Z._multiDrawCount);else{let gn=Z._multiDrawStarts,We=Z._multiDrawCounts,cn=Z._multiDrawCount,At=Fe?S.get(Fe).bytesPerElement:1,as=Ze.get($).currentProgram.getUniforms();for(let hn=0;hn<cn;hn++)as.setValue(F,"_gl_DrawID",hn),kt.render(gn[hn]/At,We[hn])}else if(Z.isInstancedMesh)kt.renderInstances($e,en,Z.count);else if(Q.isInstancedBufferGeometry){let gn=Q._maxInstanceCount!==void 0?Q._maxInstanceCount:1/0,We=Math.min(Q.instanceCount,gn);kt.renderInstances($e,en,We)}else kt.render($e,en)};function Ho(T,H,Q,$){z!==null&&T.isNodeMaterial&&z.setObject($,T),xe===!0&&ie.setState(T,Q,!1),T.transparent===!0&&T.side===_n&&T.forceSinglePass===!1?(T.side=Rn,T.needsUpdate=!0,Hi(T,H,$),T.side=Zs,T.needsUpdate=!0,Hi(T,H,$),T.side=_n):Hi(T,H,$)}this.compile=function(T,H,Q=null){Q===null&&(Q=T),z!==null&&z.renderStart(T,H,Q),A=te.get(Q),A.init(H),b.push(A),Q.traverseVisible(function(Z){Z.isLight&&Z.layers.test(H.layers)&&(A.pushLight(Z),Z.castShadow&&A.pushShadow(Z))}),T!==Q&&T.traverseVisible(function(Z){Z.isLight&&Z.layers.test(H.layers)&&(A.pushLight(Z),Z.castShadow&&A.pushShadow(Z))}),A.setupLights(),z!==null&&z.updateLights(A.state.lightsArray),Be=this.localClippingEnabled,xe=ie.init(this.clippingPlanes,Be),xe===!0&&ie.setGlobalState(this.clippingPlanes,H),z!==null&&me.render(A.state.shadowsArray,Q,H);let $=new Set;return T.traverse(function(Z){if(!(Z.isMesh||Z.isPoints||Z.isLine||Z.isSprite))return;let Ie=Z.material;if(Ie)if(Array.isArray(Ie))for(let Ue=0;Ue<Ie.length;Ue++){let Pe=Ie[Ue];Ho(Pe,Q,H,Z),$.add(Pe)}else Ho(Ie,Q,H,Z),$.add(Ie)}),A=b.pop(),z!==null&&z.renderEnd(),$},this.compileAsync=function(T,H,Q=null){let $=this.compile(T,H,Q);return new Promise(Z=>{function Ie(){if($.forEach(function(Ue){let Fe=Ze.get(Ue).currentProgram;(Fe===void 0||Fe.isReady())&&$.delete(Ue)}),$.size===0){Z(T);return}setTimeout(Ie,10)}qe.get("KHR_parallel_shader_compile")!==null?Ie():setTimeout(Ie,10)})};let Pr=null;function Xh(T){Pr&&Pr(T)}function cl(){rs.stop()}function Vi(){rs.start()}let rs=new Jm;rs.setAnimationLoop(Xh),typeof self<"u"&&rs.setContext(self),this.setAnimationLoop=function(T){Pr=T,ue.setAnimationLoop(T),T===null?rs.stop():rs.start()},ue.addEventListener("sessionstart",cl),ue.addEventListener("sessionend",Vi),this.render=function(T,H){if(H!==void 0&&H.isCamera!==!0){at("WebGLRenderer.render: camera is not an instance of THREE.Camera.");return}if(P===!0)return;z!==null&&z.renderStart(T,H);let Q=ue.enabled===!0&&ue.isPresenting===!0,$=U!==null&&(le===null||Q)&&U.begin(I,le);if(T.matrixWorldAutoUpdate===!0&&T.updateMatrixWorld(),H.parent===null&&H.matrixWorldAutoUpdate===!0&&H.updateMatrixWorld(),ue.enabled===!0&&ue.isPresenting===!0&&(U===null||U.isCompositing()===!1)&&(ue.cameraAutoUpdate===!0&&ue.updateCamera(H),H=ue.getCamera()),T.isScene===!0&&T.onBeforeRender(I,T,H,le),A=te.get(T,b.length),A.init(H),A.state.textureUnits=et.getTextureUnits(),b.push(A),Ne.multiplyMatrices(H.projectionMatrix,H.matrixWorldInverse),H.isArrayCamera?ye.setFromArrayCamera(H):re.setFromProjectionMatrix(Ne,_i,H.reversedDepth),Be=this.localClippingEnabled,xe=ie.init(this.clippingPlanes,Be),R=Ae.get(T,y.length),R.init(),y.push(R),this.info.render.frame++,ue.enabled===!0&&ue.isPresenting===!0){let Ue=I.xr.getDepthSensingMesh();Ue!==null&&os(Ue,H,-1/0,I.sortObjects)}os(T,H,0,I.sortObjects),R.finish(),z!==null&&z.updateLights(A.state.lightsArray),I.sortObjects===!0&&R.sort(He,st),ft=ue.enabled===!1||ue.isPresenting===!1||ue.hasDepthSensing()===!1,ft&&O.addToRenderList(R,T),this.info.autoReset===!0&&this.info.reset(),xe===!0&&ie.beginShadows();let Z=A.state.shadowsArray;if(me.render(Z,T,H),xe===!0&&ie.endShadows(),($&&U.hasRenderPass())===!1){let Ue=R.opaque,Pe=R.transmissive;if(A.setupLights(),H.isArrayCamera){let Fe=H.cameras;if(Pe.length>0)for(let Je=0,ut=Fe.length;Je<ut;Je++){let Mt=Fe[Je];Ci(Ue,Pe,T,Mt)}ft&&O.render(T);for(let Je=0,ut=Fe.length;Je<ut;Je++){let Mt=Fe[Je];Wo(R,T,Mt,Mt.viewport)}}else Pe.length>0&&Ci(Ue,Pe,T,H),ft&&O.render(T),Wo(R,T,H)}le!==null&&G===0&&(et.updateMultisampleRenderTarget(le),et.updateRenderTargetMipmap(le)),$&&U.end(I),T.isScene===!0&&T.onAfterRender(I,T,H),Re.resetDefaultState(),Y=-1,K=null,b.pop(),b.length>0?(A=b[b.length-1],et.setTextureUnits(A.state.textureUnits),xe===!0&&ie.setGlobalState(I.clippingPlanes,A.state.camera)):A=null,y.pop(),y.length>0?R=y[y.length-1]:R=null,z!==null&&z.renderEnd()};function os(T,H,Q,$){if(T.visible===!1)return;if(T.layers.test(H.layers)){if(T.isGroup)Q=T.renderOrder;else if(T.isLOD)T.autoUpdate===!0&&T.update(H);else if(T.isLight)A.pushLight(T),T.castShadow&&A.pushShadow(T);else if(T.isSprite){let Ue=H.isArrayCamera?ye:re;if(!T.frustumCulled||T.intersectsFrustum(Ue)){$&&ze.setFromMatrixPosition(T.matrixWorld).applyMatrix4(Ne);let Pe=de.update(T),Fe=T.material;Fe.visible&&R.push(T,Pe,Fe,Q,ze.z,null,H)}}else if(T.isMesh||T.isLine||T.isPoints){let Ue=H.isArrayCamera?ye:re;if(!T.frustumCulled||T.intersectsFrustum(Ue)){let Pe=de.update(T),Fe=T.material;if($&&(T.boundingSphere!==void 0?(T.boundingSphere===null&&T.computeBoundingSphere(),ze.copy(T.boundingSphere.center)):(Pe.boundingSphere===null&&Pe.computeBoundingSphere(),ze.copy(Pe.boundingSphere.center)),ze.applyMatrix4(T.matrixWorld).applyMatrix4(Ne)),Array.isArray(Fe)){let Je=Pe.groups;for(let ut=0,Mt=Je.length;ut<Mt;ut++){let $e=Je[ut],St=Fe[$e.materialIndex];St&&St.visible&&R.push(T,Pe,St,Q,ze.z,$e,H)}}else Fe.visible&&R.push(T,Pe,Fe,Q,ze.z,null,H)}}}let Ie=T.children;for(let Ue=0,Pe=Ie.length;Ue<Pe;Ue++)os(Ie[Ue],H,Q,$)}function Wo(T,H,Q,$){let{opaque:Z,transmissive:Ie,transparent:Ue}=T;A.setupLightsView(Q),xe===!0&&ie.setGlobalState(I.clippingPlanes,Q),$&&we.viewport(ee.copy($)),Z.length>0&&nn(Z,H,Q),Ie.length>0&&nn(Ie,H,Q),Ue.length>0&&nn(Ue,H,Q),we.buffers.depth.setTest(!0),we.buffers.depth.setMask(!0),we.buffers.color.setMask(!0),we.setPolygonOffset(!1)}function Ci(T,H,Q,$){if((Q.isScene===!0?Q.overrideMaterial:null)!==null)return;if(A.state.transmissionRenderTarget[$.id]===void 0){let $e=qe.has("EXT_color_buffer_half_float")||qe.has("EXT_color_buffer_float");A.state.transmissionRenderTarget[$.id]=new si(1,1,{generateMipmaps:!0,type:$e?Oi:Jn,minFilter:Ui,samples:Math.max(4,ht.samples),stencilBuffer:r,resolveDepthBuffer:!1,resolveStencilBuffer:!1,storeMultisampledDepthBuffer:!1,storeMultisampledStencilBuffer:!1,colorSpace:Tt.workingColorSpace})}let Ie=A.state.transmissionRenderTarget[$.id],Ue=$.viewport||ee;Ie.setSize(Ue.z*I.transmissionResolutionScale,Ue.w*I.transmissionResolutionScale);let Pe=I.getRenderTarget(),Fe=I.getActiveCubeFace(),Je=I.getActiveMipmapLevel();I.setRenderTarget(Ie),I.getClearColor(j),ge=I.getClearAlpha(),ge<1&&I.setClearColor(16777215,.5),I.clear(),ft&&O.render(Q);let ut=I.toneMapping;I.toneMapping=es;let Mt=$.viewport;if($.viewport!==void 0&&($.viewport=void 0),A.setupLightsView($),xe===!0&&ie.setGlobalState(I.clippingPlanes,$),nn(T,Q,$),et.updateMultisampleRenderTarget(Ie),et.updateRenderTargetMipmap(Ie),qe.has("WEBGL_multisampled_render_to_texture")===!1){let $e=!1;for(let St=0,en=H.length;St<en;St++){let zt=H[St],{object:kt,geometry:gn,material:We,group:cn}=zt;if(We.side===_n&&kt.layers.test($.layers)){let At=We.side;We.side=Rn,We.needsUpdate=!0,an(kt,Q,$,gn,We,cn),We.side=At,We.needsUpdate=!0,$e=!0}}$e===!0&&(et.updateMultisampleRenderTarget(Ie),et.updateRenderTargetMipmap(Ie))}I.setRenderTarget(Pe,Fe,Je),I.setClearColor(j,ge),Mt!==void 0&&($.viewport=Mt),I.toneMapping=ut}function nn(T,H,Q){let $=H.isScene===!0?H.overrideMaterial:null;for(let Z=0,Ie=T.length;Z<Ie;Z++){let Ue=T[Z],{object:Pe,geometry:Fe,group:Je}=Ue,ut=Ue.material;ut.allowOverride===!0&&$!==null&&(ut=$),Pe.layers.test(Q.layers)&&an(Pe,H,Q,Fe,ut,Je)}}function an(T,H,Q,$,Z,Ie){z!==null&&Z.isNodeMaterial&&z.setObject(T,Z),T.onBeforeRender(I,H,Q,$,Z,Ie),T.modelViewMatrix.multiplyMatrices(Q.matrixWorldInverse,T.matrixWorld),T.normalMatrix.getNormalMatrix(T.modelViewMatrix),Z.onBeforeRender(I,H,Q,$,T,Ie),Z.transparent===!0&&Z.side===_n&&Z.forceSinglePass===!1?(Z.side=Rn,Z.needsUpdate=!0,I.renderBufferDirect(Q,H,$,Z,T,Ie),Z.side=Zs,Z.needsUpdate=!0,I.renderBufferDirect(Q,H,$,Z,T,Ie),Z.side=_n):I.renderBufferDirect(Q,H,$,Z,T,Ie),T.onAfterRender(I,H,Q,$,Z,Ie)}function ln(T){let H=0;for(let Q of T)Q.texture!==null&&H++;return H}function Hi(T,H,Q){H.isScene!==!0&&(H=mt);let $=Ze.get(T),Z=A.state.lights,Ie=A.state.shadowsArray,Ue=Z.state.version,Pe=oe.getParameters(T,Z.state,Ie,H,Q,A.state.lightProbeGridArray),Fe=oe.getProgramCacheKey(Pe),Je=$.programs;$.environment=T.isMeshStandardMaterial||T.isMeshLambertMaterial||T.isMeshPhongMaterial?H.environment:null,$.fog=H.fog;let ut=T.isMeshStandardMaterial||T.isMeshLambertMaterial&&!T.envMap||T.isMeshPhongMaterial&&!T.envMap;$.envMap=C.get(T.envMap||$.environment,ut),$.envMapRotation=$.environment!==null&&T.envMap===null?H.environmentRotation:T.envMapRotation,Je===void 0&&(T.addEventListener("dispose",gt),Je=new Map,$.programs=Je,$.programVariants=new Map);let Mt=Je.get(Fe);if(Mt!==void 0){if($.currentProgram===Mt&&$.lightsStateVersion===Ue)return Xo(T,Pe),Mt}else Pe.uniforms=oe.getUniforms(T),z!==null&&T.isNodeMaterial&&z.build(T,Q,Pe),T.onBeforeCompile(Pe,I),Mt=oe.acquireProgram(Pe,Fe),Je.set(Fe,Mt),$.uniforms=Pe.uniforms;let $e=$.uniforms;return(!T.isShaderMaterial&&!T.isRawShaderMaterial||T.clipping===!0)&&($e.clippingPlanes=ie.uniform),Xo(T,Pe),$.needsLights=Ps(T),$.lightsStateVersion=Ue,$.needsLights&&($e.ambientLightColor.value=Z.state.ambient,$e.lightProbe.value=Z.state.probe,$e.sunLights.value=Z.state.sun,$e.sunLightShadows.value=Z.state.sunShadow,$e.directionalLights.value=Z.state.directional,$e.directionalLightShadows.value=Z.state.directionalShadow,$e.spotLights.value=Z.state.spot,$e.spotLightShadows.value=Z.state.spotShadow,$e.rectAreaLights.value=Z.state.rectArea,$e.ltc_1.value=Z.state.rectAreaLTC1,$e.ltc_2.value=Z.state.rectAreaLTC2,$e.pointLights.value=Z.state.point,$e.pointLightShadows.value=Z.state.pointShadow,$e.hemisphereLights.value=Z.state.hemi,$e.sunShadowMatrix.value=Z.state.sunShadowMatrix,$e.sunShadowCascade.value=Z.state.sunShadowCascade,$e.directionalShadowMatrix.value=Z.state.directionalShadowMatrix,$e.spotLightMatrix.value=Z.state.spotLightMatrix,$e.spotLightMap.value=Z.state.spotLightMap,$e.pointShadowMatrix.value=Z.state.pointShadowMatrix),$.numLightProbeGrids=ln(A.state.lightProbeGridArray),$.currentProgram=Mt,$.uniformsList=null,Mt}function Kn(T,H,Q,$,Z){let Ie=Ze.get(T),Ue=Ie.currentProgram.id+","+$+","+Z,Pe=Ie.programVariants.get(Ue);return Pe===void 0?(Pe=Hi(T,H,Q),Ie.programVariants.set(Ue,Pe)):(Ie.currentProgram=Pe,Ie.uniformsList=null,Ie.outputColorSpace=$,Ie.toneMapping=Z),Pe}function Is(T){if(T.uniformsList===null){let H=T.currentProgram.getUniforms();T.uniformsList=Co.seqWithValue(H.seq,T.uniforms)}return T.uniformsList}function Xo(T,H){let Q=Ze.get(T);Q.outputColorSpace=H.outputColorSpace,Q.batching=H.batching,Q.batchingColor=H.batchingColor,Q.instancing=H.instancing,Q.instancingColor=H.instancingColor,Q.instancingMorph=H.instancingMorph,Q.skinning=H.skinning,Q.morphTargets=H.morphTargets,Q.morphNormals=H.morphNormals,Q.morphColors=H.morphColors,Q.morphTargetsCount=H.morphTargetsCount,Q.numClippingPlanes=H.numClippingPlanes,Q.numIntersection=H.numClipIntersection,Q.vertexAlphas=H.vertexAlphas,Q.vertexTangents=H.vertexTangents,Q.toneMapping=H.toneMapping}function qo(T,H,Q,$,Z){H.isScene!==!0&&(H=mt),et.resetTextureUnits();let Ie=H.fog,Ue=$.isMeshStandardMaterial||$.isMeshLambertMaterial||$.isMeshPhongMaterial?H.environment:null,Pe=le===null?I.outputColorSpace:le.isXRRenderTarget===!0?le.texture.colorSpace:Tt.workingColorSpace,Fe=$.isMeshStandardMaterial||$.isMeshLambertMaterial&&!$.envMap||$.isMeshPhongMaterial&&!$.envMap,Je=C.get($.envMap||Ue,Fe),ut=$.vertexColors===!0&&!!Q.attributes.color&&Q.attributes.color.itemSize===4,Mt=!!Q.attributes.tangent&&(!!$.normalMap||$.anisotropy>0),$e=!!Q.morphAttributes.position,St=!!Q.morphAttributes.normal,en=!!Q.morphAttributes.color,zt=es;$.toneMapped&&(le===null||le.isXRRenderTarget===!0)&&(zt=I.toneMapping);let kt=Q.morphAttributes.position||Q.morphAttributes.normal||Q.morphAttributes.color,gn=kt!==void 0?kt.length:0,We=Ze.get($),cn=A.state.lights;if(xe===!0&&(Be===!0||T!==K)){let Gt=T===K&&$.id===Y;ie.setState($,T,Gt)}let At=!1,as=!1;$.version===We.__version?We.needsLights&&We.lightsStateVersion!==cn.state.version||Z.isBatchedMesh&&We.batching===!1||!Z.isBatchedMesh&&We.batching===!0||Z.isBatchedMesh&&We.batchingColor===!0&&Z._colorsTexture===null||Z.isBatchedMesh&&We.batchingColor===!1&&Z._colorsTexture!==null||Z.isInstancedMesh&&We.instancing===!1||!Z.isInstancedMesh&&We.instancing===!0||Z.isSkinnedMesh&&We.skinning===!1||!Z.isSkinnedMesh&&We.skinning===!0||Z.isInstancedMesh&&We.instancingColor===!0&&Z.instanceColor===null||Z.isInstancedMesh&&We.instancingColor===!1&&Z.instanceColor!==null||Z.isInstancedMesh&&We.instancingMorph===!0&&Z.morphTexture===null||Z.isInstancedMesh&&We.instancingMorph===!1&&Z.morphTexture!==null||We.envMap!==Je||$.fog===!0&&We.fog!==Ie||We.numClippingPlanes!==void 0&&(We.numClippingPlanes!==ie.numPlanes||We.numIntersection!==ie.numIntersection)||We.vertexAlphas!==ut||We.vertexTangents!==Mt||We.morphTargets!==$e||We.morphNormals!==St||We.morphColors!==en||We.morphTargetsCount!==gn||We.numLightProbeGrids!==ln(A.state.lightProbeGridArray)?At=!0:(We.outputColorSpace!==Pe||We.toneMapping!==zt)&&(as=!0):(At=!0,We.__version=$.version);let hn=We.currentProgram;(At===!0||as===!0)&&(hn=as===!0?Kn($,H,Z,Pe,zt):Hi($,H,Z),z&&$.isNodeMaterial&&z.onUpdateProgram($,hn,We));let Dr=!1,Wi=!1,ls=!1,_t=hn.getUniforms(),sn=We.uniforms;if(we.useProgram(hn.program)&&(Dr=!0,Wi=!0,ls=!0),$.id!==Y&&(Y=$.id,Wi=!0),Dr||K!==T){we.buffers.depth.getReversed()&&T.reversedDepth!==!0&&(T._reversedDepth=!0,T.updateProjectionMatrix()),_t.setValue(F,"projectionMatrix",T.projectionMatrix),_t.setValue(F,"viewMatrix",T.matrixWorldInverse);let un=_t.map.cameraPosition;un!==void 0&&un.setValue(F,nt.setFromMatrixPosition(T.matrixWorld)),ht.logarithmicDepthBuffer&&_t.setValue(F,"logDepthBufFC",2/(Math.log(T.far+1)/Math.LN2)),($.isMeshPhongMaterial||$.isMeshToonMaterial||$.isMeshLambertMaterial||$.isMeshBasicMaterial||$.isMeshStandardMaterial||$.isShaderMaterial)&&_t.setValue(F,"isOrthographic",T.isOrthographicCamera===!0),K!==T&&(K=T,Wi=!0,ls=!0)}if(We.needsLights&&(cn.state.sunShadowMap.length>0&&_t.setValue(F,"sunShadowMap",cn.state.sunShadowMap,et),cn.state.directionalShadowMap.length>0&&_t.setValue(F,"directionalShadowMap",cn.state.directionalShadowMap,et),cn.state.spotShadowMap.length>0&&_t.setValue(F,"spotShadowMap",cn.state.spotShadowMap,et),cn.state.pointShadowMap.length>0&&_t.setValue(F,"pointShadowMap",cn.state.pointShadowMap,et)),Z.isSkinnedMesh){_t.setOptional(F,Z,"bindMatrix"),_t.setOptional(F,Z,"bindMatrixInverse");let Gt=Z.skeleton;Gt&&(Gt.boneTexture===null&&Gt.computeBoneTexture(),_t.setValue(F,"boneTexture",Gt.boneTexture,et))}Z.isBatchedMesh&&(_t.setOptional(F,Z,"batchingTexture"),_t.setValue(F,"batchingTexture",Z._matricesTexture,et),_t.setOptional(F,Z,"batchingIdTexture"),_t.setValue(F,"batchingIdTexture",Z._indirectTexture,et),_t.setOptional(F,Z,"batchingColorTexture"),Z._colorsTexture!==null&&_t.setValue(F,"batchingColorTexture",Z._colorsTexture,et));let kn=Q.morphAttributes;if((kn.position!==void 0||kn.normal!==void 0||kn.color!==void 0)&&se.update(Z,Q,hn),(Wi||We.receiveShadow!==Z.receiveShadow)&&(We.receiveShadow=Z.receiveShadow,_t.setValue(F,"receiveShadow",Z.receiveShadow)),($.isMeshStandardMaterial||$.isMeshLambertMaterial||$.isMeshPhongMaterial)&&$.envMap===null&&H.environment!==null&&(sn.envMapIntensity.value=H.environmentIntensity),sn.dfgLUT!==void 0&&(sn.dfgLUT.value=aw()),Wi){if(_t.setValue(F,"toneMappingExposure",I.toneMappingExposure),We.needsLights&&Lr(sn,ls),Ie&&$.fog===!0&&Se.refreshFogUniforms(sn,Ie),Se.refreshMaterialUniforms(sn,$,be,Le,A.state.transmissionRenderTarget[T.id]),We.needsLights&&We.numLightProbeGrids>0){let Gt=_,un=0;for(let Dn of A.state.lightProbeGridArray)Dn.texture!==null&&(Gt.textures[un]=Dn.texture,Gt.min[un]=Dn.boundingBox.min,Gt.max[un]=Dn.boundingBox.max,Gt.resolution[un]=Dn.resolution,un++);for(let Dn in Gt)Gt[Dn].length=un;sn.probesSH.value=Gt.textures,sn.probesMin.value=Gt.min,sn.probesMax.value=Gt.max,sn.probesResolution.value=Gt.resolution}Co.upload(F,Is(We),sn,et)}if($.isShaderMaterial&&$.uniformsNeedUpdate===!0&&(Co.upload(F,Is(We),sn,et),$.uniformsNeedUpdate=!1),$.isSpriteMaterial&&_t.setValue(F,"center",Z.center),_t.setValue(F,"modelViewMatrix",Z.modelViewMatrix),_t.setValue(F,"normalMatrix",Z.normalMatrix),_t.setValue(F,"modelMatrix",Z.matrixWorld),$.uniformsGroups!==void 0){let Gt=$.uniformsGroups;for(let un=0,Dn=Gt.length;un<Dn;un++){let hl=Gt[un];je.update(hl,hn),je.bind(hl,hn)}}return hn}function Lr(T,H){T.ambientLightColor.needsUpdate=H,T.lightProbe.needsUpdate=H,T.sunLights.needsUpdate=H,T.sunLightShadows.needsUpdate=H,T.directionalLights.needsUpdate=H,T.directionalLightShadows.needsUpdate=H,T.pointLights.needsUpdate=H,T.pointLightShadows.needsUpdate=H,T.spotLights.needsUpdate=H,T.spotLightShadows.needsUpdate=H,T.rectAreaLights.needsUpdate=H,T.hemisphereLights.needsUpdate=H}function Ps(T){return T.isMeshLambertMaterial||T.isMeshToonMaterial||T.isMeshPhongMaterial||T.isMeshStandardMaterial||T.isShadowMaterial||T.isShaderMaterial&&T.lights===!0}this.getActiveCubeFace=function(){return X},this.getActiveMipmapLevel=function(){return G},this.getRenderTarget=function(){return le},this.setRenderTargetTextures=function(T,H,Q){let $=Ze.get(T);$.__autoAllocateDepthBuffer=T.resolveDepthBuffer===!1,$.__autoAllocateDepthBuffer===!1&&($.__useRenderToTexture=!1),Ze.get(T.texture).__webglTexture=H,Ze.get(T.depthTexture).__webglTexture=$.__autoAllocateDepthBuffer?void 0:Q,$.__hasExternalTextures=!0},this.setRenderTargetFramebuffer=function(T,H){let Q=Ze.get(T);Q.__webglFramebuffer=H,Q.__useDefaultFramebuffer=H===void 0},this.setRenderTarget=function(T,H=0,Q=0){le=T,X=H,G=Q;let $=null,Z=!1,Ie=!1;if(T){let Pe=Ze.get(T);if(Pe.__useDefaultFramebuffer!==void 0){we.bindFramebuffer(F.FRAMEBUFFER,Pe.__webglFramebuffer),ee.copy(T.viewport),fe.copy(T.scissor),he=T.scissorTest,we.viewport(ee),we.scissor(fe),we.setScissorTest(he),Y=-1;return}else if(Pe.__webglFramebuffer===void 0)et.setupRenderTarget(T);else if(Pe.__hasExternalTextures)et.rebindTextures(T,Ze.get(T.texture).__webglTexture,Ze.get(T.depthTexture).__webglTexture);else if(T.depthBuffer){let ut=T.depthTexture;if(Pe.__boundDepthTexture!==ut){if(ut!==null&&Ze.has(ut)&&(T.width!==ut.image.width||T.height!==ut.image.height))throw new Error("THREE.WebGLRenderer: Attached DepthTexture is initialized to the incorrect size.");et.setupDepthRenderbuffer(T)}}let Fe=T.texture;(Fe.isData3DTexture||Fe.isDataArrayTexture||Fe.isCompressedArrayTexture)&&(Ie=!0);let Je=Ze.get(T).__webglFramebuffer;T.isWebGLCubeRenderTarget?(Array.isArray(Je[H])?$=Je[H][Q]:$=Je[H],Z=!0):T.samples>0&&et.useMultisampledRTT(T)===!1?$=Ze.get(T).__webglMultisampledFramebuffer:Array.isArray(Je)?$=Je[Q]:$=Je,ee.copy(T.viewport),fe.copy(T.scissor),he=T.scissorTest}else ee.copy(Ke).multiplyScalar(be).floor(),fe.copy(rt).multiplyScalar(be).floor(),he=it;if(Q!==0&&($=V),we.bindFramebuffer(F.FRAMEBUFFER,$)&&we.drawBuffers(T,$),we.viewport(ee),we.scissor(fe),we.setScissorTest(he),Z){let Pe=Ze.get(T.texture);F.framebufferTexture2D(F.FRAMEBUFFER,F.COLOR_ATTACHMENT0,F.TEXTURE_CUBE_MAP_POSITIVE_X+H,Pe.__webglTexture,Q)}else if(Ie){let Pe=H;for(let Fe=0;Fe<T.textures.length;Fe++){let Je=Ze.get(T.textures[Fe]);F.framebufferTextureLayer(F.FRAMEBUFFER,F.COLOR_ATTACHMENT0+Fe,Je.__webglTexture,Q,Pe)}}else if(T!==null&&Q!==0){let Pe=Ze.get(T.texture);F.framebufferTexture2D(F.FRAMEBUFFER,F.COLOR_ATTACHMENT0,F.TEXTURE_2D,Pe.__webglTexture,Q)}Y=-1};function Nr(T){let H=Ze.get(T);return(H.__readFormat!==T.format||H.__readType!==T.type)&&(H.__readFormat=T.format,H.__readType=T.type,H.__formatReadable=ht.textureFormatReadable(T.format),H.__typeReadable=ht.textureTypeReadable(T.type)),H}this.readRenderTargetPixels=function(T,H,Q,$,Z,Ie,Ue,Pe=0){if(!(T&&T.isWebGLRenderTarget)){at("WebGLRenderer.readRenderTargetPixels: renderTarget is not THREE.WebGLRenderTarget.");return}let Fe=Ze.get(T).__webglFramebuffer;if(T.isWebGLCubeRenderTarget&&Ue!==void 0&&(Fe=Fe[Ue],Array.isArray(Fe)&&(Fe=Fe[0])),Fe){we.bindFramebuffer(F.FRAMEBUFFER,Fe);try{let Je=T.textures[Pe],ut=Je.format,Mt=Je.type;T.textures.length>1&&F.readBuffer(F.COLOR_ATTACHMENT0+Pe);let $e=Nr(Je);if($e.__formatReadable===!1){at("WebGLRenderer.readRenderTargetPixels: renderTarget is not in RGBA or implementation defined format.");return}if($e.__typeReadable===!1){at("WebGLRenderer.readRenderTargetPixels: renderTarget is not in UnsignedByteType or implementation defined type.");return}H>=0&&H<=T.width-$&&Q>=0&&Q<=T.height-Z&&F.readPixels(H,Q,$,Z,ve.convert(ut),ve.convert(Mt),Ie)}finally{let Je=le!==null?Ze.get(le).__webglFramebuffer:null;we.bindFramebuffer(F.FRAMEBUFFER,Je)}}},this.readRenderTargetPixelsAsync=async function(T,H,Q,$,Z,Ie,Ue,Pe=0){if(!(T&&T.isWebGLRenderTarget))throw new Error("THREE.WebGLRenderer.readRenderTargetPixels: renderTarget is not THREE.WebGLRenderTarget.");let Fe=Ze.get(T).__webglFramebuffer;if(T.isWebGLCubeRenderTarget&&Ue!==void 0&&(Fe=Fe[Ue],Array.isArray(Fe)&&(Fe=Fe[0])),Fe)if(H>=0&&H<=T.width-$&&Q>=0&&Q<=T.height-Z){we.bindFramebuffer(F.FRAMEBUFFER,Fe);let Je=T.textures[Pe],ut=Je.format,Mt=Je.type;T.textures.length>1&&F.readBuffer(F.COLOR_ATTACHMENT0+Pe);let $e=Nr(Je);if($e.__formatReadable===!1)throw new Error("THREE.WebGLRenderer.readRenderTargetPixelsAsync: renderTarget is not in RGBA or implementation defined format.");if($e.__typeReadable===!1)throw new Error("THREE.WebGLRenderer.readRenderTargetPixelsAsync: renderTarget is not in UnsignedByteType or implementation defined type.");let St=F.createBuffer();F.bindBuffer(F.PIXEL_PACK_BUFFER,St),F.bufferData(F.PIXEL_PACK_BUFFER,Ie.byteLength,F.STREAM_READ),F.readPixels(H,Q,$,Z,ve.convert(ut),ve.convert(Mt),0),F.bindBuffer(F.PIXEL_PACK_BUFFER,null);let en=le!==null?Ze.get(le).__webglFramebuffer:null;we.bindFramebuffer(F.FRAMEBUFFER,en);let zt=F.fenceSync(F.SYNC_GPU_COMMANDS_COMPLETE,0);return F.flush(),await xm(F,zt,4),F.bindBuffer(F.PIXEL_PACK_BUFFER,St),F.getBufferSubData(F.PIXEL_PACK_BUFFER,0,Ie),F.bindBuffer(F.PIXEL_PACK_BUFFER,null),F.deleteBuffer(St),F.deleteSync(zt),Ie}else throw new Error("THREE.WebGLRenderer.readRenderTargetPixelsAsync: requested read bounds are out of range.")},this.copyFramebufferToTexture=function(T,H=null,Q=0){let $=Math.pow(2,-Q),Z=Math.floor(T.image.width*$),Ie=Math.floor(T.image.height*$),Ue=H!==null?H.x:0,Pe=H!==null?H.y:0;et.setTexture2D(T,0),F.copyTexSubImage2D(F.TEXTURE_2D,Q,0,0,Ue,Pe,Z,Ie),we.unbindTexture()},this.copyTextureToTexture=function(T,H,Q=null,$=null,Z=0,Ie=0){let Ue,Pe,Fe,Je,ut,Mt,$e,St,en,zt=T.isCompressedTexture?T.mipmaps[Ie]:T.image;if(Q!==null)Ue=Q.max.x-Q.min.x,Pe=Q.max.y-Q.min.y,Fe=Q.isBox3?Q.max.z-Q.min.z:1,Je=Q.min.x,ut=Q.min.y,Mt=Q.isBox3?Q.min.z:0;else{let _t=Math.pow(2,-Z);Ue=Math.floor(zt.width*_t),Pe=Math.floor(zt.height*_t),T.isDataArrayTexture?Fe=zt.depth:T.isData3DTexture?Fe=Math.floor(zt.depth*_t):Fe=1,Je=0,ut=0,Mt=0}$!==null?($e=$.x,St=$.y,en=$.z):($e=0,St=0,en=0);let kt=ve.convert(H.format),gn=ve.convert(H.type),We;H.isData3DTexture?(et.setTexture3D(H,0),We=F.TEXTURE_3D):H.isDataArrayTexture||H.isCompressedArrayTexture?(et.setTexture2DArray(H,0),We=F.TEXTURE_2D_ARRAY):(et.setTexture2D(H,0),We=F.TEXTURE_2D),we.activeTexture(F.TEXTURE0),we.pixelStorei(F.UNPACK_FLIP_Y_WEBGL,H.flipY),we.pixelStorei(F.UNPACK_PREMULTIPLY_ALPHA_WEBGL,H.premultiplyAlpha),we.pixelStorei(F.UNPACK_ALIGNMENT,H.unpackAlignment);let cn=we.getParameter(F.UNPACK_ROW_LENGTH),At=we.getParameter(F.UNPACK_IMAGE_HEIGHT),as=we.getParameter(F.UNPACK_SKIP_PIXELS),hn=we.getParameter(F.UNPACK_SKIP_ROWS),Dr=we.getParameter(F.UNPACK_SKIP_IMAGES);we.pixelStorei(F.UNPACK_ROW_LENGTH,zt.width),we.pixelStorei(F.UNPACK_IMAGE_HEIGHT,zt.height),we.pixelStorei(F.UNPACK_SKIP_PIXELS,Je),we.pixelStorei(F.UNPACK_SKIP_ROWS,ut),we.pixelStorei(F.UNPACK_SKIP_IMAGES,Mt);let Wi=T.isDataArrayTexture||T.isData3DTexture,ls=H.isDataArrayTexture||H.isData3DTexture;if(T.isDepthTexture){let _t=Ze.get(T),sn=Ze.get(H),kn=Ze.get(_t.__renderTarget),Gt=Ze.get(sn.__renderTarget);we.bindFramebuffer(F.READ_FRAMEBUFFER,kn.__webglFramebuffer),we.bindFramebuffer(F.DRAW_FRAMEBUFFER,Gt.__webglFramebuffer);for(let un=0;un<Fe;un++)Wi&&(F.framebufferTextureLayer(F.READ_FRAMEBUFFER,F.COLOR_ATTACHMENT0,Ze.get(T).__webglTexture,Z,Mt+un),F.framebufferTextureLayer(F.DRAW_FRAMEBUFFER,F.COLOR_ATTACHMENT0,Ze.get(H).__webglTexture,Ie,en+un)),F.blitFramebuffer(Je,ut,Je+Ue,ut+Pe,$e,St,$e+Ue,St+Pe,F.DEPTH_BUFFER_BIT,F.NEAREST);we.bindFramebuffer(F.READ_FRAMEBUFFER,null),we.bindFramebuffer(F.DRAW_FRAMEBUFFER,null)}else if(Z!==0||T.isRenderTargetTexture||Ze.has(T)){let _t=Ze.get(T),sn=Ze.get(H);we.bindFramebuffer(F.READ_FRAMEBUFFER,N),we.bindFramebuffer(F.DRAW_FRAMEBUFFER,B);for(let kn=0;kn<Fe;kn++)Wi?F.framebufferTextureLayer(F.READ_FRAMEBUFFER,F.COLOR_ATTACHMENT0,_t.__webglTexture,Z,Mt+kn):F.framebufferTexture2D(F.READ_FRAMEBUFFER,F.COLOR_ATTACHMENT0,F.TEXTURE_2D,_t.__webglTexture,Z),ls?F.framebufferTextureLayer(F.DRAW_FRAMEBUFFER,F.COLOR_ATTACHMENT0,sn.__webglTexture,Ie,en+kn):F.framebufferTexture2D(F.DRAW_FRAMEBUFFER,F.COLOR_ATTACHMENT0,F.TEXTURE_2D,sn.__webglTexture,Ie),Z!==0?F.blitFramebuffer(Je,ut,Je+Ue,ut+Pe,$e,St,$e+Ue,St+Pe,F.COLOR_BUFFER_BIT,F.NEAREST):ls?F.copyTexSubImage3D(We,Ie,$e,St,en+kn,Je,ut,Ue,Pe):F.copyTexSubImage2D(We,Ie,$e,St,Je,ut,Ue,Pe);we.bindFramebuffer(F.READ_FRAMEBUFFER,null),we.bindFramebuffer(F.DRAW_FRAMEBUFFER,null)}else ls?T.isDataTexture||T.isData3DTexture?F.texSubImage3D(We,Ie,$e,St,en,Ue,Pe,Fe,kt,gn,zt.data):H.isCompressedArrayTexture?F.compressedTexSubImage3D(We,Ie,$e,St,en,Ue,Pe,Fe,kt,zt.data):F.texSubImage3D(We,Ie,$e,St,en,Ue,Pe,Fe,kt,gn,zt):T.isDataTexture?F.texSubImage2D(F.TEXTURE_2D,Ie,$e,St,Ue,Pe,kt,gn,zt.data):T.isCompressedTexture?F.compressedTexSubImage2D(F.TEXTURE_2D,Ie,$e,St,zt.width,zt.height,kt,zt.data):F.texSubImage2D(F.TEXTURE_2D,Ie,$e,St,Ue,Pe,kt,gn,zt);we.pixelStorei(F.UNPACK_ROW_LENGTH,cn),we.pixelStorei(F.UNPACK_IMAGE_HEIGHT,At),we.pixelStorei(F.UNPACK_SKIP_PIXELS,as),we.pixelStorei(F.UNPACK_SKIP_ROWS,hn),we.pixelStorei(F.UNPACK_SKIP_IMAGES,Dr),Ie===0&&H.generateMipmaps===!0&&H.mipmapsAutoUpdate===!0&&F.generateMipmap(We),we.unbindTexture()},this.initRenderTarget=function(T){Ze.get(T).__webglFramebuffer===void 0&&et.setupRenderTarget(T)},this.initTexture=function(T){T.isCubeTexture?et.setTextureCube(T,0):T.isData3DTexture?et.setTexture3D(T,0):T.isDataArrayTexture||T.isCompressedArrayTexture?et.setTexture2DArray(T,0):et.setTexture2D(T,0),we.unbindTexture()},this.resetState=function(){X=0,G=0,le=null,we.reset(),Re.reset()},typeof __THREE_DEVTOOLS__<"u"&&__THREE_DEVTOOLS__.dispatchEvent(new CustomEvent("observe",{detail:this}))}get coordinateSystem(){return _i}get outputColorSpace(){return this._outputColorSpace}set outputColorSpace(e){this._outputColorSpace=e;let t=this.getContext();t.drawingBufferColorSpace=Tt._getDrawingBufferColorSpace(e),t.unpackColorSpace=Tt._getUnpackColorSpace()}};function lg(i,e=!1){let t=i[0].index!==null,n=new Set(Object.keys(i[0].attributes)),s=new Set(Object.keys(i[0].morphAttributes)),r={},o={},a=i[0].morphTargetsRelative,l=new Jt;l.morphTargetsRelative=a;let c=0;for(let h=0;h<i.length;++h){let u=i[h],f=0,d=0;if(t!==(u.index!==null))return console.error("THREE.BufferGeometryUtils: .mergeGeometries() failed with geometry at index "+h+". All geometries must have compatible attributes; make sure index attribute exists among all geometries, or in none of them."),null;for(let p in u.attributes){if(!n.has(p))return console.error("THREE.BufferGeometryUtils: .mergeGeometries() failed with geometry at index "+h+'. All geometries must have compatible attributes; make sure "'+p+'" attribute exists among all geometries, or in none of them.'),null;r[p]===void 0&&(r[p]=[]),r[p].push(u.attributes[p]),f++}if(f!==n.size)return console.error("THREE.BufferGeometryUtils: .mergeGeometries() failed with geometry at index "+h+". Make sure all geometries have the same number of attributes."),null;if(a!==u.morphTargetsRelative)return console.error("THREE.BufferGeometryUtils: .mergeGeometries() failed with geometry at index "+h+". .morphTargetsRelative must be consistent throughout all geometries."),null;for(let p in u.morphAttributes){if(!s.has(p))return console.error("THREE.BufferGeometryUtils: .mergeGeometries() failed with geometry at index "+h+".  .morphAttributes must be consistent throughout all geometries."),null;if(u.morphAttributes[p].length!==i[0].morphAttributes[p].length)return console.error("THREE.BufferGeometryUtils: .mergeGeometries() failed with geometry at index "+h+'. All geometries must have the same number of morph targets for the "'+p+'" morph attribute.'),null;o[p]===void 0&&(o[p]=[]),o[p].push(u.morphAttributes[p]),d++}if(d!==s.size)return console.error("THREE.BufferGeometryUtils: .mergeGeometries() failed with geometry at index "+h+". Make sure all geometries have the same number of morph attributes."),null;if(e){let p;if(t)p=u.index.count;else if(u.attributes.position!==void 0)p=u.attributes.position.count;else return console.error("THREE.BufferGeometryUtils: .mergeGeometries() failed with geometry at index "+h+". The geometry must have either an index or a position attribute"),null;l.addGroup(c,p,h),c+=p}}if(t){let h=0,u=[];for(let f=0;f<i.length;++f){let d=i[f].index;for(let p=0;p<d.count;++p)u.push(d.getX(p)+h);h+=i[f].attributes.position.count}l.setIndex(u)}for(let h in r){let u=ag(r[h]);if(!u)return console.error("THREE.BufferGeometryUtils: .mergeGeometries() failed while trying to merge the "+h+" attribute."),null;l.setAttribute(h,u)}for(let h in o){let u=o[h][0].length;if(u!==0){l.morphAttributes=l.morphAttributes||{},l.morphAttributes[h]=[];for(let f=0;f<u;++f){let d=[];for(let x=0;x<o[h].length;++x)d.push(o[h][x][f]);let p=ag(d);if(!p)return console.error("THREE.BufferGeometryUtils: .mergeGeometries() failed while trying to merge the "+h+" morphAttribute."),null;l.morphAttributes[h].push(p)}}}return l}function ag(i){let e,t,n,s=-1,r=0;for(let c=0;c<i.length;++c){let h=i[c];if(e===void 0&&(e=h.array.constructor),e!==h.array.constructor)return console.error("THREE.BufferGeometryUtils: .mergeAttributes() failed. BufferAttribute.array must be of consistent array types across matching attributes."),null;if(t===void 0&&(t=h.itemSize),t!==h.itemSize)return console.error("THREE.BufferGeometryUtils: .mergeAttributes() failed. BufferAttribute.itemSize must be consistent across matching attributes."),null;if(n===void 0&&(n=h.normalized),n!==h.normalized)return console.error("THREE.BufferGeometryUtils: .mergeAttributes() failed. BufferAttribute.normalized must be consistent across matching attributes."),null;if(s===-1&&(s=h.gpuType),s!==h.gpuType)return console.error("THREE.BufferGeometryUtils: .mergeAttributes() failed. BufferAttribute.gpuType must be consistent across matching attributes."),null;r+=h.count*t}let o=new e(r),a=new Ot(o,t,n),l=0;for(let c=0;c<i.length;++c){let h=i[c];if(h.isInterleavedBufferAttribute){let u=l/t;for(let f=0,d=h.count;f<d;f++)for(let p=0;p<t;p++){let x=h.getComponent(f,p);a.setComponent(f+u,p,x)}}else o.set(h.array,l);l+=h.count*t}return s!==void 0&&(a.gpuType=s),a}function Cf(i,e=Math.PI/3){let t=i.index?i.toNonIndexed():i,n=t.attributes.position,s=n.count,r;if(n.isBufferAttribute===!0&&n.itemSize===3&&n.normalized===!1)r=n.array;else{r=new Float64Array(s*3);for(let _=0;_<s;_++)r[3*_+0]=n.getX(_),r[3*_+1]=n.getY(_),r[3*_+2]=n.getZ(_)}let o=Math.cos(e),a=(1+1e-10)*100,l=s/3,c=new Float64Array(l*3);for(let _=0;_<l;_++){let R=9*_,A=r[R+0],y=r[R+1],b=r[R+2],U=r[R+3],I=r[R+4],P=r[R+5],z=r[R+6],V=r[R+7],N=r[R+8],B=z-U,X=V-I,G=N-P,le=A-U,Y=y-I,K=b-P,ee=X*K-G*Y,fe=G*le-B*K,he=B*Y-X*le,j=1/(Math.sqrt(ee*ee+fe*fe+he*he)||1);c[3*_+0]=ee*j,c[3*_+1]=fe*j,c[3*_+2]=he*j}let h=new Int32Array(s),u=new Float64Array(s*3),f=1;for(;f<s*2;)f<<=1;let d=f-1,p=new Int32Array(f),x=0;for(let _=0;_<s;_++){let R=3*_,A=Math.trunc(r[R+0]*a),y=Math.trunc(r[R+1]*a),b=Math.trunc(r[R+2]*a),U=(Math.imul(A,73856093)^Math.imul(y,19349663)^Math.imul(b,83492791))&d;for(;;){let I=p[U];if(I===0){let z=3*x;u[z+0]=A,u[z+1]=y,u[z+2]=b,p[U]=x+1,h[_]=x++;break}let P=3*(I-1);if(u[P+0]===A&&u[P+1]===y&&u[P+2]===b){h[_]=I-1;break}U=U+1&d}}let m=new Int32Array(x+1);for(let _=0;_<s;_++)m[h[_]+1]++;for(let _=0;_<x;_++)m[_+1]+=m[_];let g=new Int32Array(s),v=m.slice(0,x);for(let _=0;_<l;_++){let R=3*_;g[v[h[R+0]]++]=_,g[v[h[R+1]]++]=_,g[v[h[R+2]]++]=_}let E=new Float32Array(s*3);for(let _=0;_<l;_++){let R=3*_,A=c[R+0],y=c[R+1],b=c[R+2];for(let U=0;U<3;U++){let I=R+U,P=h[I],z=0,V=0,N=0;for(let X=m[P],G=m[P+1];X<G;X++){let le=3*g[X],Y=c[le+0],K=c[le+1],ee=c[le+2];A*Y+y*K+b*ee>o&&(z+=Y,V+=K,N+=ee)}let B=1/(Math.sqrt(z*z+V*V+N*N)||1);E[3*I+0]=z*B,E[3*I+1]=V*B,E[3*I+2]=N*B}}return t.setAttribute("normal",new Ot(E,3,!1)),t}var ai=class{constructor(e,{lit:t=!0,opacity:n=1,order:s=4,through:r=!1,veiled:o=!1}={}){this.group=new Ht,this.surface=e;let a={transparent:n<1||r,opacity:n,side:_n,depthTest:!r};this.material=t?new bi({...a,roughness:.5,emissiveIntensity:.3}):new Ki({...a,toneMapped:!1}),this.veil=o?new Ki({transparent:!0,opacity:.35,depthTest:!1,depthWrite:!1}):null,this.order=s,this.grow(16)}grow(e){let t=this.mesh;this.mesh=new Hs(this.surface,this.material,e),this.mesh.frustumCulled=!1,this.mesh.renderOrder=this.order,this.mesh.setColorAt(0,new Ve),t&&(this.mesh.instanceMatrix.array.set(t.instanceMatrix.array),this.mesh.instanceColor.array.set(t.instanceColor.array),t.dispose()),this.group.clear().add(this.mesh),this.veil&&(this.behind=new Hs(this.surface,this.veil,e),Object.assign(this.behind,{instanceMatrix:this.mesh.instanceMatrix,instanceColor:this.mesh.instanceColor,frustumCulled:!1,renderOrder:this.order+1}),this.group.add(this.behind))}begin(){this.used=0}add(e,t,n,s){this.used===this.mesh.instanceMatrix.count&&this.grow(2*this.used);let r=1/(Math.hypot(t[0],t[1],t[2])||1),[o,a,l]=[t[0]*r,t[1]*r,t[2]*r],c=l<-1+1e-9,h=c?0:1/(1+l),[u,f,d]=n,p=this.mesh.instanceMatrix.array,x=16*this.used;p[x]=u*(1-h*o*o),p[x+1]=-u*h*o*a,p[x+2]=c?0:-u*o,p[x+4]=-f*h*o*a,p[x+5]=c?-f:f*(1-h*a*a),p[x+6]=c?0:-f*a,p[x+8]=c?0:d*o,p[x+9]=c?0:d*a,p[x+10]=c?-d:d*l;for(let m=0;m<3;m++)p[x+12+m]=e[m];p[x+3]=p[x+7]=p[x+11]=0,p[x+15]=1,this.mesh.setColorAt(this.used++,s)}end(){for(let e of this.group.children)e.count=this.used,e.visible=this.used>0;this.mesh.instanceMatrix.needsUpdate=!0,this.mesh.instanceColor.needsUpdate=!0}dispose(){this.group.removeFromParent(),this.material.dispose(),this.veil?.dispose(),this.mesh.dispose()}},li=class{constructor(e){this.shafts=new ai(new fr(1,1,1,14).rotateX(Math.PI/2).translate(0,0,.5),e),this.heads=new ai(new mo(1,1,20).rotateX(Math.PI/2).translate(0,0,.5),e),this.group=new Ht().add(this.shafts.group,this.heads.group)}begin(){this.shafts.begin(),this.heads.begin(),this.list=[]}add(e,t,n,s){let r=Math.hypot(...t);if(!(r>1e-12))return;this.list.push({point:[...e],vector:[...t]});let o=Math.min(5*n,r*.6),a=Math.min(1,o/(5*n)+.2),l=e.map((c,h)=>c+t[h]*(1-o/r));this.shafts.add(e,t,[n*a,n*a,r-o],s),this.heads.add(l,t,[2.4*n*a,2.4*n*a,o],s)}end(){this.shafts.end(),this.heads.end()}dispose(){this.shafts.dispose(),this.heads.dispose(),this.group.removeFromParent()}};function cg(){return new fr(1,1,1,28).rotateX(Math.PI/2)}function hg(){return new yo(1,.16,10,36)}function ug(){let i=new yo(1,.07,8,40,1.6*Math.PI),e=new mo(.24,.55,14).translate(1,.2,0).rotateZ(1.6*Math.PI);return lg([i,e].map(lw))}function lw(i){let e=i.index?i.toNonIndexed():i;return new Jt().setAttribute("position",e.attributes.position).setAttribute("normal",e.attributes.normal)}function js(i,e,t,n,s=cw){let r=i[e+3],o=i[e+4],a=i[e+5],l=i[e+6],c=1/(Math.hypot(r,o,a,l)||1);r*=c,o*=c,a*=c,l*=c,t[n]=1-2*(a*a+l*l),t[n+1]=2*(o*a-r*l),t[n+2]=2*(o*l+r*a),t[n+3]=i[e]+s[0],t[n+4]=2*(o*a+r*l),t[n+5]=1-2*(o*o+l*l),t[n+6]=2*(a*l-r*o),t[n+7]=i[e+1]+s[1],t[n+8]=2*(o*l-r*a),t[n+9]=2*(a*l+r*o),t[n+10]=1-2*(o*o+a*a),t[n+11]=i[e+2]+s[2]}var cw=[0,0,0];function If(i,e,t,n,s,r){for(let o=0;o<3;o++){let[a,l,c,h]=[i[e+4*o],i[e+4*o+1],i[e+4*o+2],i[e+4*o+3]];for(let u=0;u<4;u++)s[r+4*u+o]=a*t[n+u]+l*t[n+4+u]+c*t[n+8+u]+(u===3?h:0)}s[r+3]=s[r+7]=s[r+11]=0,s[r+15]=1}function Bn(i,e,[t,n,s]){let r=o=>i[e+o]*t+i[e+o+1]*n+i[e+o+2]*s+i[e+o+3];return[r(0),r(4),r(8)]}function ja(i,e,[t,n,s]){let r=o=>i[e+o]*t+i[e+o+1]*n+i[e+o+2]*s;return[r(0),r(4),r(8)]}function fg(i,e,t){let n=[0,1,2].map(s=>t[s]-i[e+4*s+3]);return[0,1,2].map(s=>i[e+s]*n[0]+i[e+4+s]*n[1]+i[e+8+s]*n[2])}function dg([i,e,t]){let n=Math.hypot(i,e,t)||1,s=1+t/n;if(s<1e-9)return[0,1,0,0];let r=Math.hypot(s,i/n,e/n);return[s/r,-e/n/r,i/n/r,0]}var pg=["#c2378f","#2a9d4b","#7a52d6","#c98a06"].map(i=>new Ve(i)),ch=class{constructor(e,t){this.scene=t,this.group=new Ht,this.sets=e.map((n,s)=>{let r=new li({veiled:!0});return this.group.add(r.group),{...n,marks:r,colour:pg[s%pg.length],visible:!0,scale:1}}),this.sites=hw(t),this.larger=1}fit(e,t){this.extent=e,this.sets.forEach((n,s)=>{let r=t.vectors[s]??[],o=0;for(let a=0;a+2<r.length;a+=3)o=Math.max(o,Math.hypot(r[a],r[a+1],r[a+2])||0);n.largest=o,n.scale=.5*e/(o||1)})}update(e,t){this.sets.forEach((n,s)=>{let r=e?.[s];n.marks.begin(),n.list=[],n.visible&&r&&this.sites.forEach((o,a)=>{let l=[r[3*a],r[3*a+1],r[3*a+2]];if(!(Math.hypot(...l)>.001*n.largest))return;let h=Bn(t.matrices,12*o.body,o.point);n.list.push({body:o.body,point:h,vector:l}),n.marks.add(h,l.map(u=>u*n.scale*this.larger),.009*this.extent,n.colour)}),n.marks.end()})}dispose(){for(let e of this.sets)e.marks.dispose();this.group.removeFromParent()}};function hw(i){return i.bodies.map((e,t)=>({body:t,point:i.masses.find(n=>n.body===t)?.centre??[0,0,0]}))}var mg=1.55,uw=.002,hh=class{constructor(e){this.camera=e,this.target=new k,this.azimuth=-.95,this.elevation=.32,this.distance=3,this.following=!0,this.lead=null}frame(e,t){this.target.copy(e),this.extent=t;let n=this.camera.fov*Math.PI/360,s=Math.min(n,Math.atan(Math.tan(n)*this.camera.aspect));this.distance=t/Math.sin(s),this.azimuth=-.95,this.elevation=.32,this.lead=null}turn(e,t){this.azimuth-=e,this.elevation=Math.min(mg,Math.max(-mg,this.elevation+t))}move(e,t){let n=2*this.distance*Math.tan(this.camera.fov*Math.PI/360),s=new k().setFromMatrixColumn(this.camera.matrixWorld,0),r=new k().setFromMatrixColumn(this.camera.matrixWorld,1);this.target.addScaledVector(s,-e*n).addScaledVector(r,-t*n)}nearer(e){this.distance=Math.min(this.extent*60,Math.max(this.extent*.15,this.distance*e))}follow(e,t,n=!1){if(!this.lead||!this.following){this.lead=e.clone();return}let s=1-uw**Math.min(t,.2),r=e.clone().sub(this.lead);r.multiplyScalar(n||r.length()>4*this.distance?1:s),this.lead.add(r),this.target.add(r)}update(){let e=Math.cos(this.elevation);this.camera.position.set(e*Math.cos(this.azimuth),e*Math.sin(this.azimuth),Math.sin(this.elevation)).multiplyScalar(this.distance).add(this.target),this.camera.lookAt(this.target),this.camera.updateMatrixWorld()}};var fw=["touching","sticking","sliding"],Lo=["#8a94a0","#1f8fe0","#f07c1b"].map(i=>new Ve(i)),dw=1.5,uh=class{constructor(){this.arrows=new li({veiled:!0}),this.discs=new ai(cg()),this.rings=new ai(hg()),this.group=new Ht().add(this.arrows.group,this.discs.group,this.rings.group),this.showPoints=!0,this.showForces=!0,this.scale=.001,this.extent=1,this.larger=1}fit(e,t){this.extent=e,this.scale=dw*e/Math.max(t,1e-9)}update(e,t){let n=.011*this.extent;this.arrows.begin(),this.discs.begin(),this.rings.begin(),this.list=[];for(let s=0;s<e.length;s+=8){let r=t[e[s+7]]??t[0],o=[0,1,2].map(u=>e[s+u]+r[u]),a=[e[s+3],e[s+4],e[s+5]],l=e[s+6],c=Math.hypot(...a);if(!Number.isFinite(c+o[0]))continue;this.list.push({point:o,force:a,state:fw[l]});let h=c>0?a:[0,0,1];if(this.showPoints){let u=o.map((f,d)=>f+(d===2?.3*n:0));l===2?this.rings.add(u,[0,0,1],[3.2*n,3.2*n,3.2*n],Lo[2]):this.discs.add(u,[0,0,1],l===1?[3*n,3*n,.8*n]:[1.2*n,1.2*n,.8*n],Lo[l])}this.showForces&&this.arrows.add(o,h.map(u=>u*this.scale*this.larger),n,Lo[l]??Lo[0])}this.arrows.end(),this.discs.end(),this.rings.end()}drawnForces(){return this.arrows.list.map(({vector:e})=>e.map(t=>t/(this.scale*this.larger)))}};function ae(i,e={},...t){let n=document.createElement(i);for(let[s,r]of Object.entries(e))s.startsWith("on")?n.addEventListener(s.slice(2),r):s==="text"?n.textContent=r:s==="value"||s==="checked"?n[s]=r:r===!0?n.setAttribute(s,""):r!==!1&&r!==null&&r!==void 0&&n.setAttribute(s,r);return n.append(...t.flat().filter(s=>s!=null)),n}function Ts(i){return i.getRootNode().activeElement===i}function is(i,e){i.textContent!==e&&(i.textContent=e)}function Ai(i,e,t,n={}){return ae("button",{type:"button",title:i,"aria-label":i,onclick:t,...n},pw(e))}var gg={play:"M7 4.5v15l12-7.5z",pause:"M6.5 5h4v14h-4zM13.5 5h4v14h-4z",step:"M5 4.5v15l9-7.5zM16 5h3v14h-3z",back:"M19 4.5v15l-9-7.5zM5 5h3v14H5z",reset:"M12 5V1.5L6.5 6 12 10.5V7a5 5 0 1 1-5 5H5a7 7 0 1 0 7-7z",live:"M12 8a4 4 0 1 1 0 8 4 4 0 0 1 0-8z",panels:"M3 5h18v2H3zM3 11h18v2H3zM3 17h18v2H3z",plots:"M4 4h2v14h14v2H4zM8 14l4-5 3 3 4-6 1.6 1.1L15.300 15l-3.100-3.100L9.600 15.200z",help:"M11 16h2.200v2.400H11zM12 5.500c-2.400 0-4 1.500-4 3.700h2.200c0-1.100.7-1.800 1.800-1.800s1.800.6 1.800 1.600c0 .8-.4 1.200-1.300 1.900-1.100.8-1.500 1.600-1.500 2.900v.5h2.100v-.4c0-.8.3-1.200 1.200-1.900 1.100-.8 1.800-1.700 1.800-3.100 0-2.100-1.700-3.400-4.100-3.400z",close:"M6.200 5 12 10.800 17.800 5 19 6.200 13.200 12l5.800 5.800-1.200 1.200-5.800-5.800L6.200 19 5 17.800 10.800 12 5 6.200z",follow:"M12 3.500v3M12 17.500v3M3.500 12h3M17.500 12h3M12 7a5 5 0 1 0 .01 0z"};function pw(i){let e=document.createElementNS("http://www.w3.org/2000/svg","svg");e.setAttribute("viewBox","0 0 24 24"),e.setAttribute("aria-hidden","true");let t=document.createElementNS("http://www.w3.org/2000/svg","path");return t.setAttribute("d",gg[i]),i==="follow"&&e.classList.add("stroked"),e.append(t),e}function xg(i,e,t){i.getAttribute("aria-label")!==e&&(i.title=e,i.setAttribute("aria-label",e),i.querySelector("path").setAttribute("d",gg[t]))}function ci(i,e=3){if(!Number.isFinite(i))return String(i);let t=Math.abs(i);return(t!==0&&(t>=1e5||t<.001)?i.toExponential(e-1):String(+i.toPrecision(e))).replaceAll("-","−").replace("e+","e")}var mw=5,gw=15e4,fh=class{constructor(e,t){this.canvas=e,this.viewer=t,this.raycaster=new ka,this.pressed=new Map,this.pull=null;let n=(s,r,o)=>e.addEventListener(s,r.bind(this),o);n("pointerdown",this.press),n("pointermove",this.moved),n("pointerup",this.release),n("pointercancel",this.release),n("pointerleave",()=>this.viewer.hover(null)),n("lostpointercapture",this.release),n("wheel",this.wheel,{passive:!1}),n("dblclick",this.twice),n("contextmenu",s=>s.preventDefault())}aim(e){let{left:t,top:n,width:s,height:r}=this.canvas.getBoundingClientRect(),o=new Ee(2*(e.clientX-t)/s-1,1-2*(e.clientY-n)/r);return this.raycaster.setFromCamera(o,this.viewer.stage.camera),this.raycaster}pick(e){return this.viewer.layers?.main.bodies.pick(this.aim(e))??null}press(e){this.canvas.focus({preventScroll:!0});try{this.canvas.setPointerCapture(e.pointerId)}catch{}if(this.pressed.set(e.pointerId,{x:e.clientX,y:e.clientY,startX:e.clientX,startY:e.clientY,button:e.button}),this.pressed.size>1)return this.endPull();let t=e.button===0&&!e.shiftKey?this.pick(e):null;if(this.hit=t,t&&t.body>0&&this.viewer.source.live&&t.world===this.viewer.followed){let n=this.viewer.stage.camera.getWorldDirection(new k);this.pull={...t,plane:new ii().setFromNormalAndCoplanarPoint(n,new k(...t.point)),target:t.point},this.viewer.select(t.world,t.body)}}moved(e){let t=this.pressed.get(e.pointerId);if(!t)return this.hover(e);let[n,s]=[e.clientX-t.x,e.clientY-t.y];if(this.pressed.size===2)return this.pinch(e,t,n,s);Object.assign(t,{x:e.clientX,y:e.clientY});let{orbit:r}=this.viewer,o=this.canvas.clientHeight;if(this.pull){let a=this.aim(e).ray.intersectPlane(this.pull.plane,new k);a&&this.pullTo(a.toArray())}else this.viewer.looked=!0,t.button===2||t.button===1||e.shiftKey?r.move(n/o,-s/o):r.turn(n/o*4,s/o*3);this.viewer.needsDrawing()}pullTo(e){this.pull.target=e;let t=this.viewer.offsets[this.pull.world];this.viewer.source.send({drag:{body:this.pull.body,point:this.pull.inBody,target:e.map((n,s)=>n-t[s])}}),this.viewer.dragged()}pinch(e,t,n,s){let r=[...this.pressed].find(([c])=>c!==e.pointerId)[1],o=Math.hypot(t.x-r.x,t.y-r.y);Object.assign(t,{x:e.clientX,y:e.clientY});let a=Math.hypot(t.x-r.x,t.y-r.y);this.viewer.orbit.nearer(o/Math.max(a,1));let l=this.canvas.clientHeight;this.viewer.orbit.move(n/2/l,-s/2/l),this.viewer.needsDrawing()}release(e){let t=this.pressed.get(e.pointerId);if(!t)return;this.pressed.delete(e.pointerId),Math.hypot(e.clientX-t.startX,e.clientY-t.startY)<mw&&t.button===0&&e.type==="pointerup"&&(this.hit&&this.hit.body>0?this.viewer.select(this.hit.world,this.hit.body):this.viewer.select(this.viewer.followed,null)),this.endPull()}endPull(){this.pull&&(this.pull=null,this.viewer.source.send({release:!0}),this.viewer.needsDrawing())}wheel(e){if(this.viewer.embedded&&!Ts(this.canvas))return;e.preventDefault(),this.viewer.looked=!0;let t=e.deltaMode===1?30:1;this.viewer.orbit.nearer(Math.exp(Math.max(-120,Math.min(120,e.deltaY*t))*.0015)),this.viewer.needsDrawing()}twice(e){let t=this.pick(e);t&&this.viewer.lookAt(t.point)}hover(e){let t=performance.now();e.pointerType==="touch"||this.viewer.triangles>gw||t-(this.hovered??0)<40||(this.hovered=t,this.viewer.hover(this.pick(e)))}};var _g=["#8a3fd1","#d6336c","#0b8f6a","#b8720a","#1667c7","#a3123f"],xw={along:.5,about:.22,mark:.07},yg=.05,dh=class{constructor(e,t){this.sites=e.map((n,s)=>({...n,colour:new Ve(_g[s%_g.length]),visible:!0})),this.largest=new Map;for(let n=0;n<t.length;n+=8){let s=this.sites[t[n]],r=Math.hypot(t[n+5],t[n+6],t[n+7]),o=vg(s);r>(this.largest.get(o)??0)&&this.largest.set(o,r)}this.marks={along:new li({veiled:!0}),about:new ai(ug(),{veiled:!0}),mark:new ai(new Mi(1,20,14),{veiled:!0,opacity:.85})},this.group=new Ht().add(...Object.values(this.marks).map(n=>n.group)),this.extent=1,this.larger=1,this.list=[]}update(e,t){let{along:n,about:s,mark:r}=this.marks;for(let o of[n,s,r])o.begin();this.list=[];for(let o=0;o<e.length;o+=8){let a=this.sites[e[o]],l=12*e[o+1],c=Bn(t.matrices,l,[e[o+2],e[o+3],e[o+4]]),h=ja(t.matrices,l,[e[o+5],e[o+6],e[o+7]]),u=Math.hypot(...h),f=u/(this.largest.get(vg(a))||1);if(!a.visible||!(f>.001)||!Number.isFinite(c[0]))continue;let d=xw[a.kind]*this.extent*this.larger;if(this.list.push({site:e[o],body:e[o+1],point:c,vector:h}),a.kind==="along")n.add(c,h.map(p=>p/u*f*d),.011*this.extent,a.colour);else if(a.kind==="about"){let p=yg*this.extent+f*(d-yg*this.extent);s.add(c,h,[p,p,p],a.colour)}else r.add(c,[0,0,1],[1,1,1].map(()=>Math.cbrt(f)*d),a.colour)}for(let o of[n,s,r])o.end()}dispose(){for(let e of Object.values(this.marks))e.dispose();this.group.removeFromParent()}};function vg({kind:i,unit:e,name:t}){return i==="mark"?`mark ${t}`:`${i} ${e}`}var Mg={POSITION:["byte","byte normalized","unsigned byte","unsigned byte normalized","short","short normalized","unsigned short","unsigned short normalized"],NORMAL:["byte normalized","short normalized"],TANGENT:["byte normalized","short normalized"],TEXCOORD:["byte","byte normalized","unsigned byte","short","short normalized","unsigned short"]},Qs=class{constructor(){this.textureUtils=null,this.pluginCallbacks=[],this.register(function(e){return new Uf(e)}),this.register(function(e){return new Ff(e)}),this.register(function(e){return new kf(e)}),this.register(function(e){return new Gf(e)}),this.register(function(e){return new Vf(e)}),this.register(function(e){return new Hf(e)}),this.register(function(e){return new Of(e)}),this.register(function(e){return new Bf(e)}),this.register(function(e){return new zf(e)}),this.register(function(e){return new Wf(e)}),this.register(function(e){return new Xf(e)}),this.register(function(e){return new qf(e)}),this.register(function(e){return new Yf(e)}),this.register(function(e){return new $f(e)})}register(e){return this.pluginCallbacks.indexOf(e)===-1&&this.pluginCallbacks.push(e),this}unregister(e){return this.pluginCallbacks.indexOf(e)!==-1&&this.pluginCallbacks.splice(this.pluginCallbacks.indexOf(e),1),this}setTextureUtils(e){return this.textureUtils=e,this}parse(e,t,n,s){let r=new Df,o=[];for(let a=0,l=this.pluginCallbacks.length;a<l;a++)o.push(this.pluginCallbacks[a](r));r.setPlugins(o),r.setTextureUtils(this.textureUtils),r.writeAsync(e,t,s).catch(n)}parseAsync(e,t){let n=this;return new Promise(function(s,r){n.parse(e,s,r,t)})}},wt={POINTS:0,LINES:1,LINE_LOOP:2,LINE_STRIP:3,TRIANGLES:4,TRIANGLE_STRIP:5,TRIANGLE_FAN:6,BYTE:5120,UNSIGNED_BYTE:5121,SHORT:5122,UNSIGNED_SHORT:5123,INT:5124,UNSIGNED_INT:5125,FLOAT:5126,ARRAY_BUFFER:34962,ELEMENT_ARRAY_BUFFER:34963,NEAREST:9728,LINEAR:9729,NEAREST_MIPMAP_NEAREST:9984,LINEAR_MIPMAP_NEAREST:9985,NEAREST_MIPMAP_LINEAR:9986,LINEAR_MIPMAP_LINEAR:9987,CLAMP_TO_EDGE:33071,MIRRORED_REPEAT:33648,REPEAT:10497},Pf="KHR_mesh_quantization",hi={};hi[pn]=wt.NEAREST;hi[yc]=wt.NEAREST_MIPMAP_NEAREST;hi[yr]=wt.NEAREST_MIPMAP_LINEAR;hi[Pn]=wt.LINEAR;hi[To]=wt.LINEAR_MIPMAP_NEAREST;hi[Ui]=wt.LINEAR_MIPMAP_LINEAR;hi[xi]=wt.CLAMP_TO_EDGE;hi[io]=wt.REPEAT;hi[so]=wt.MIRRORED_REPEAT;var Sg={scale:"scale",position:"translation",quaternion:"rotation",morphTargetInfluences:"weights"},_w=new Ve,bg=12,yw=1179937895,vw=2,wg=8,Mw=1313821514,Sw=5130562;function Es(i,e){return i.length===e.length&&i.every(function(t,n){return t===e[n]})}function bw(i){return new TextEncoder().encode(i).buffer}function ww(i){return Es(i.elements,[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1])}function Aw(i,e,t){let n={min:new Array(i.itemSize).fill(Number.POSITIVE_INFINITY),max:new Array(i.itemSize).fill(Number.NEGATIVE_INFINITY)};for(let s=e;s<e+t;s++)for(let r=0;r<i.itemSize;r++){let o;i.itemSize>4?o=i.array[s*i.itemSize+r]:(r===0?o=i.getX(s):r===1?o=i.getY(s):r===2?o=i.getZ(s):r===3&&(o=i.getW(s)),i.normalized===!0&&(o=Ro.normalize(o,i.array))),n.min[r]=Math.min(n.min[r],o),n.max[r]=Math.max(n.max[r],o)}return n}function Ag(i){return Math.ceil(i/4)*4}function Lf(i,e=0){let t=Ag(i.byteLength);if(t!==i.byteLength){let n=new Uint8Array(t);if(n.set(new Uint8Array(i)),e!==0)for(let s=i.byteLength;s<t;s++)n[s]=e;return n.buffer}return i}function Nf(){return typeof document>"u"&&typeof OffscreenCanvas<"u"?new OffscreenCanvas(1,1):document.createElement("canvas")}function Tw(i,e){if(typeof OffscreenCanvas<"u"&&i instanceof OffscreenCanvas){let t;return e==="image/jpeg"?t=.92:e==="image/webp"&&(t=.8),i.convertToBlob({type:e,quality:t})}else return new Promise(t=>i.toBlob(t,e))}var Df=class{constructor(){this.plugins=[],this.options={},this.pending=[],this.buffers=[],this.byteOffset=0,this.buffers=[],this.nodeMap=new Map,this.skins=[],this.extensionsUsed={},this.extensionsRequired={},this.uids=new Map,this.uid=0,this.json={asset:{version:"2.0",generator:"THREE.GLTFExporter r187"}},this.cache={meshes:new Map,attributes:new Map,attributesNormalized:new Map,materials:new Map,textures:new Map,images:new Map,normalMaps:new Map},this.textureUtils=null}setPlugins(e){this.plugins=e}setTextureUtils(e){this.textureUtils=e}async writeAsync(e,t,n={}){this.options=Object.assign({binary:!1,trs:!1,onlyVisible:!0,maxTextureSize:1/0,animations:[],includeCustomExtensions:!1,copyright:null},n),this.options.animations.length>0&&(this.options.trs=!0),await this.processInputAsync(e),await Promise.all(this.pending);let s=this,r=s.buffers,o=s.json;n=s.options;let a=s.extensionsUsed,l=s.extensionsRequired,c=new Blob(r,{type:"application/octet-stream"}),h=Object.keys(a),u=Object.keys(l);if(h.length>0&&(o.extensionsUsed=h),u.length>0&&(o.extensionsRequired=u),o.buffers&&o.buffers.length>0&&(o.buffers[0].byteLength=c.size),n.copyright&&(o.asset.copyright=n.copyright),n.binary===!0){let f=new FileReader;f.readAsArrayBuffer(c),f.onloadend=function(){let d=Lf(f.result),p=new DataView(new ArrayBuffer(wg));p.setUint32(0,d.byteLength,!0),p.setUint32(4,Sw,!0);let x=Lf(bw(JSON.stringify(o)),32),m=new DataView(new ArrayBuffer(wg));m.setUint32(0,x.byteLength,!0),m.setUint32(4,Mw,!0);let g=new ArrayBuffer(bg),v=new DataView(g);v.setUint32(0,yw,!0),v.setUint32(4,vw,!0);let E=bg+m.byteLength+x.byteLength+p.byteLength+d.byteLength;v.setUint32(8,E,!0);let _=new Blob([g,m,x,p,d],{type:"application/octet-stream"}),R=new FileReader;R.readAsArrayBuffer(_),R.onloadend=function(){t(R.result)}}}else if(o.buffers&&o.buffers.length>0){let f=new FileReader;f.readAsDataURL(c),f.onloadend=function(){let d=f.result;o.buffers[0].uri=d,t(o)}}else t(o)}serializeUserData(e,t){if(Object.keys(e.userData).length===0)return;let n=this.options,s=this.extensionsUsed;try{let r=JSON.parse(JSON.stringify(e.userData));if(n.includeCustomExtensions&&r.gltfExtensions){t.extensions===void 0&&(t.extensions={});for(let o in r.gltfExtensions)t.extensions[o]=r.gltfExtensions[o],s[o]=!0;delete r.gltfExtensions}Object.keys(r).length>0&&(t.extras=r)}catch(r){console.warn("THREE.GLTFExporter: userData of '"+e.name+"' won't be serialized because of JSON.stringify error - "+r.message)}}getUID(e,t=!1){if(this.uids.has(e)===!1){let s=new Map;s.set(!0,this.uid++),s.set(!1,this.uid++),this.uids.set(e,s)}return this.uids.get(e).get(t)}isNormalizedNormalAttribute(e){if(this.cache.attributesNormalized.has(e))return!1;let n=new k;for(let s=0,r=e.count;s<r;s++)if(Math.abs(n.fromBufferAttribute(e,s).length()-1)>5e-4)return!1;return!0}createNormalizedNormalAttribute(e){let t=this.cache;if(t.attributesNormalized.has(e))return t.attributesNormalized.get(e);let n=e.clone(),s=new k;for(let r=0,o=n.count;r<o;r++)s.fromBufferAttribute(n,r),s.x===0&&s.y===0&&s.z===0?s.setX(1):s.normalize(),n.setXYZ(r,s.x,s.y,s.z);return t.attributesNormalized.set(e,n),n}applyTextureTransform(e,t){let n=!1,s={};(t.offset.x!==0||t.offset.y!==0)&&(s.offset=t.offset.toArray(),n=!0),t.rotation!==0&&(s.rotation=t.rotation,n=!0),(t.repeat.x!==1||t.repeat.y!==1)&&(s.scale=t.repeat.toArray(),n=!0),n&&(e.extensions=e.extensions||{},e.extensions.KHR_texture_transform=s,this.extensionsUsed.KHR_texture_transform=!0)}async buildMetalRoughTextureAsync(e,t){if(e===t)return e;function n(d){return d.colorSpace===Wn?function(x){return x<.04045?x*.0773993808:Math.pow(x*.9478672986+.0521327014,2.4)}:function(x){return x}}e instanceof qs&&(e=await this.decompressTextureAsync(e)),t instanceof qs&&(t=await this.decompressTextureAsync(t));let s=e?e.image:null,r=t?t.image:null,o=Math.max(s?s.width:0,r?r.width:0),a=Math.max(s?s.height:0,r?r.height:0),l=Nf();l.width=o,l.height=a;let c=l.getContext("2d",{willReadFrequently:!0});c.fillStyle="#00ffff",c.fillRect(0,0,o,a);let h=c.getImageData(0,0,o,a);if(s){c.drawImage(s,0,0,o,a);let d=n(e),p=c.getImageData(0,0,o,a).data;for(let x=2;x<p.length;x+=4)h.data[x]=d(p[x]/256)*256}if(r){c.drawImage(r,0,0,o,a);let d=n(t),p=c.getImageData(0,0,o,a).data;for(let x=1;x<p.length;x+=4)h.data[x]=d(p[x]/256)*256}c.putImageData(h,0,0);let f=(e||t).clone();return f.source=new xs(l),f.colorSpace=Bi,f.channel=(e||t).channel,e&&t&&e.channel!==t.channel&&console.warn("THREE.GLTFExporter: UV channels for metalnessMap and roughnessMap textures must match."),console.warn("THREE.GLTFExporter: Merged metalnessMap and roughnessMap textures."),f}async buildNormalMapTextureAsync(e,t,n){e instanceof qs&&(e=await this.decompressTextureAsync(e));let s=e.image,r=Nf();r.width=s.width,r.height=s.height;let o=r.getContext("2d",{willReadFrequently:!0});o.drawImage(s,0,0,r.width,r.height);let a=o.getImageData(0,0,r.width,r.height),l=a.data;for(let h=0;h<l.length;h+=4)t&&(l[h+0]=255-l[h+0]),n&&(l[h+1]=255-l[h+1]);o.putImageData(a,0,0);let c=e.clone();return c.source=new xs(r),c}async decompressTextureAsync(e,t=1/0){if(this.textureUtils===null)throw new Error("THREE.GLTFExporter: setTextureUtils() must be called to process compressed textures.");return await this.textureUtils.decompress(e,t)}processBuffer(e){let t=this.json,n=this.buffers;return t.buffers||(t.buffers=[{byteLength:0}]),n.push(e),0}processBufferView(e,t,n,s,r){let o=this.json;o.bufferViews||(o.bufferViews=[]);let a;switch(t){case wt.BYTE:case wt.UNSIGNED_BYTE:a=1;break;case wt.SHORT:case wt.UNSIGNED_SHORT:a=2;break;default:a=4}let l=e.itemSize*a;r===wt.ARRAY_BUFFER&&(l=Math.ceil(l/4)*4);let c=Ag(s*l),h=new DataView(new ArrayBuffer(c)),u=0;for(let p=n;p<n+s;p++){for(let x=0;x<e.itemSize;x++){let m;e.itemSize>4?m=e.array[p*e.itemSize+x]:(x===0?m=e.getX(p):x===1?m=e.getY(p):x===2?m=e.getZ(p):x===3&&(m=e.getW(p)),e.normalized===!0&&(m=Ro.normalize(m,e.array))),t===wt.FLOAT?h.setFloat32(u,m,!0):t===wt.INT?h.setInt32(u,m,!0):t===wt.UNSIGNED_INT?h.setUint32(u,m,!0):t===wt.SHORT?h.setInt16(u,m,!0):t===wt.UNSIGNED_SHORT?h.setUint16(u,m,!0):t===wt.BYTE?h.setInt8(u,m):t===wt.UNSIGNED_BYTE&&h.setUint8(u,m),u+=a}u%l!==0&&(u+=l-u%l)}let f={buffer:this.processBuffer(h.buffer),byteOffset:this.byteOffset,byteLength:c};return r!==void 0&&(f.target=r),r===wt.ARRAY_BUFFER&&(f.byteStride=l),this.byteOffset+=c,o.bufferViews.push(f),{id:o.bufferViews.length-1,byteLength:0}}processBufferViewImage(e){let t=this,n=t.json;return n.bufferViews||(n.bufferViews=[]),new Promise(function(s){let r=new FileReader;r.readAsArrayBuffer(e),r.onloadend=function(){let o=Lf(r.result),a={buffer:t.processBuffer(o),byteOffset:t.byteOffset,byteLength:o.byteLength};t.byteOffset+=o.byteLength,s(n.bufferViews.push(a)-1)}})}processAccessor(e,t,n,s){let r=this.json,o={1:"SCALAR",2:"VEC2",3:"VEC3",4:"VEC4",9:"MAT3",16:"MAT4"},a;if(e.array.constructor===Float32Array)a=wt.FLOAT;else if(e.array.constructor===Int32Array)a=wt.INT;else if(e.array.constructor===Uint32Array)a=wt.UNSIGNED_INT;else if(e.array.constructor===Int16Array)a=wt.SHORT;else if(e.array.constructor===Uint16Array)a=wt.UNSIGNED_SHORT;else if(e.array.constructor===Int8Array)a=wt.BYTE;else if(e.array.constructor===Uint8Array)a=wt.UNSIGNED_BYTE;else throw new Error("THREE.GLTFExporter: Unsupported bufferAttribute component type: "+e.array.constructor.name);if(n===void 0&&(n=0),(s===void 0||s===1/0)&&(s=e.count),s===0)return null;let l=Aw(e,n,s),c;t!==void 0&&(c=e===t.index?wt.ELEMENT_ARRAY_BUFFER:wt.ARRAY_BUFFER);let h=this.processBufferView(e,a,n,s,c),u={bufferView:h.id,byteOffset:h.byteOffset,componentType:a,count:s,max:l.max,min:l.min,type:o[e.itemSize]};return e.normalized===!0&&(u.normalized=!0),r.accessors||(r.accessors=[]),r.accessors.push(u)-1}processImage(e,t,n,s="image/png"){if(e!==null){let r=this,o=r.cache,a=r.json,l=r.options,c=r.pending;o.images.has(e)||o.images.set(e,{});let h=o.images.get(e),u=s+":flipY/"+n.toString();if(h[u]!==void 0)return h[u];a.images||(a.images=[]);let f={mimeType:s},d=Nf();d.width=Math.min(e.width,l.maxTextureSize),d.height=Math.min(e.height,l.maxTextureSize);let p=d.getContext("2d",{willReadFrequently:!0});if(n===!0&&(p.translate(0,d.height),p.scale(1,-1)),e.data!==void 0){t!==oi&&console.error("GLTFExporter: Only RGBAFormat is supported.",t),(e.width>l.maxTextureSize||e.height>l.maxTextureSize)&&console.warn("GLTFExporter: Image size is bigger than maxTextureSize",e);let m=new Uint8ClampedArray(e.height*e.width*4);for(let g=0;g<m.length;g+=4)m[g+0]=e.data[g+0],m[g+1]=e.data[g+1],m[g+2]=e.data[g+2],m[g+3]=e.data[g+3];p.putImageData(new ImageData(m,e.width,e.height),0,0)}else if(typeof HTMLImageElement<"u"&&e instanceof HTMLImageElement||typeof HTMLCanvasElement<"u"&&e instanceof HTMLCanvasElement||typeof ImageBitmap<"u"&&e instanceof ImageBitmap||typeof OffscreenCanvas<"u"&&e instanceof OffscreenCanvas)p.drawImage(e,0,0,d.width,d.height);else throw new Error("THREE.GLTFExporter: Invalid image type. Use HTMLImageElement, HTMLCanvasElement, ImageBitmap or OffscreenCanvas.");l.binary===!0?c.push(Tw(d,s).then(m=>r.processBufferViewImage(m)).then(m=>{f.bufferView=m})):f.uri=co.getDataURL(d,s);let x=a.images.push(f)-1;return h[u]=x,x}else throw new Error("THREE.GLTFExporter: No valid image data found. Unable to process texture.")}processSampler(e){let t=this.json;t.samplers||(t.samplers=[]);let n={magFilter:hi[e.magFilter],minFilter:hi[e.minFilter],wrapS:hi[e.wrapS],wrapT:hi[e.wrapT]};return t.samplers.push(n)-1}async processTextureAsync(e){let n=this.options,s=this.cache,r=this.json;if(s.textures.has(e))return s.textures.get(e);r.textures||(r.textures=[]),e instanceof qs&&(e=await this.decompressTextureAsync(e,n.maxTextureSize));let o=e.userData.mimeType,a=this.processImage(e.image,e.format,e.flipY,o),l={sampler:this.processSampler(e)};o==="image/webp"?(l.extensions=l.extensions||{},l.extensions.EXT_texture_webp={source:a},this.extensionsUsed.EXT_texture_webp=!0,this.extensionsRequired.EXT_texture_webp=!0):l.source=a,e.name&&(l.name=e.name),await this._invokeAllAsync(async function(h){h.writeTexture&&await h.writeTexture(e,l)});let c=r.textures.push(l)-1;return s.textures.set(e,c),c}async processMaterialAsync(e,t){let n=this.cache,s=this.json,r=t!==void 0&&t.hasAttribute("tangent"),o=e.normalMap?e.uuid+":"+r:e.uuid;if(n.materials.has(o))return n.materials.get(o);if(e.isShaderMaterial)return console.warn("GLTFExporter: THREE.ShaderMaterial not supported."),null;s.materials||(s.materials=[]);let a={pbrMetallicRoughness:{}};e.isMeshStandardMaterial!==!0&&e.isMeshBasicMaterial!==!0&&console.warn("GLTFExporter: Use MeshStandardMaterial or MeshBasicMaterial for best results.");let l=e.color.toArray().concat([e.opacity]);if(Es(l,[1,1,1,1])||(a.pbrMetallicRoughness.baseColorFactor=l),e.isMeshStandardMaterial?(a.pbrMetallicRoughness.metallicFactor=e.metalness,a.pbrMetallicRoughness.roughnessFactor=e.roughness):(a.pbrMetallicRoughness.metallicFactor=0,a.pbrMetallicRoughness.roughnessFactor=1),e.metalnessMap||e.roughnessMap){let h=await this.buildMetalRoughTextureAsync(e.metalnessMap,e.roughnessMap),u={index:await this.processTextureAsync(h),texCoord:h.channel};this.applyTextureTransform(u,h),a.pbrMetallicRoughness.metallicRoughnessTexture=u}if(e.map){let h={index:await this.processTextureAsync(e.map),texCoord:e.map.channel};this.applyTextureTransform(h,e.map),a.pbrMetallicRoughness.baseColorTexture=h}if(e.emissive){let h=e.emissive;if(Math.max(h.r,h.g,h.b)>0&&(a.emissiveFactor=e.emissive.toArray()),e.emissiveMap){let f={index:await this.processTextureAsync(e.emissiveMap),texCoord:e.emissiveMap.channel};this.applyTextureTransform(f,e.emissiveMap),a.emissiveTexture=f}}if(e.normalMap){let h=e.normalScale,u=h.x<0,f=r?h.y<0:h.y>0,d=e.normalMap;if(u||f){n.normalMaps.has(e.normalMap)===!1&&n.normalMaps.set(e.normalMap,{});let x=n.normalMaps.get(e.normalMap),m=`${u}:${f}`;x[m]===void 0&&(x[m]=await this.buildNormalMapTextureAsync(e.normalMap,u,f)),d=x[m]}let p={index:await this.processTextureAsync(d),texCoord:e.normalMap.channel};Math.abs(h.x)!==1&&(p.scale=Math.abs(h.x)),this.applyTextureTransform(p,e.normalMap),a.normalTexture=p}if(e.aoMap){let h={index:await this.processTextureAsync(e.aoMap),texCoord:e.aoMap.channel};e.aoMapIntensity!==1&&(h.strength=e.aoMapIntensity),this.applyTextureTransform(h,e.aoMap),a.occlusionTexture=h}e.transparent?a.alphaMode="BLEND":e.alphaTest>0&&(a.alphaMode="MASK",a.alphaCutoff=e.alphaTest),e.side===_n&&(a.doubleSided=!0),e.name!==""&&(a.name=e.name),this.serializeUserData(e,a),await this._invokeAllAsync(async function(h){h.writeMaterialAsync&&await h.writeMaterialAsync(e,a)});let c=s.materials.push(a)-1;return n.materials.set(o,c),c}async processMeshAsync(e){let t=this.cache,n=this.json,s=[e.geometry.uuid];if(Array.isArray(e.material))for(let _=0,R=e.material.length;_<R;_++)s.push(e.material[_].uuid);else s.push(e.material.uuid);let r=s.join(":");if(t.meshes.has(r))return t.meshes.get(r);let o=e.geometry,a;e.isLineSegments?a=wt.LINES:e.isLineLoop?a=wt.LINE_LOOP:e.isLine?a=wt.LINE_STRIP:e.isPoints?a=wt.POINTS:a=e.material.wireframe?wt.LINES:wt.TRIANGLES;let l={},c={},h=[],u=[],f={uv:"TEXCOORD_0",uv1:"TEXCOORD_1",uv2:"TEXCOORD_2",uv3:"TEXCOORD_3",color:"COLOR_0",skinWeight:"WEIGHTS_0",skinIndex:"JOINTS_0"},d=o.getAttribute("normal");d!==void 0&&!this.isNormalizedNormalAttribute(d)&&(console.warn("THREE.GLTFExporter: Creating normalized normal attribute from the non-normalized one."),o.setAttribute("normal",this.createNormalizedNormalAttribute(d)));let p=null;for(let _ in o.attributes){if(_.slice(0,5)==="morph")continue;let R=o.attributes[_];if(_=f[_]||_.toUpperCase(),!/^(POSITION|NORMAL|TANGENT|TEXCOORD_\d+|COLOR_\d+|JOINTS_\d+|WEIGHTS_\d+)$/.test(_)&&!_.startsWith("_")&&(_="_"+_),t.attributes.has(this.getUID(R))){c[_]=t.attributes.get(this.getUID(R));continue}p=null;let y=R.array;_==="JOINTS_0"&&!(y instanceof Uint16Array)&&!(y instanceof Uint8Array)?(console.warn('GLTFExporter: Attribute "skinIndex" converted to type UNSIGNED_SHORT.'),p=Qs.Utils.toTypedBufferAttribute(R,Uint16Array)):(y instanceof Uint32Array||y instanceof Int32Array)&&!_.startsWith("_")&&(console.warn(`GLTFExporter: Attribute "${_}" converted to type FLOAT.`),p=Qs.Utils.toTypedBufferAttribute(R,Float32Array));let b=this.processAccessor(p||R,o);b!==null&&(_.startsWith("_")||this.detectMeshQuantization(_,R),c[_]=b,t.attributes.set(this.getUID(R),b))}if(d!==void 0&&o.setAttribute("normal",d),Object.keys(c).length===0)return null;if(e.morphTargetInfluences!==void 0&&e.morphTargetInfluences.length>0){let _=[],R=[],A={};if(e.morphTargetDictionary!==void 0)for(let y in e.morphTargetDictionary)A[e.morphTargetDictionary[y]]=y;for(let y=0;y<e.morphTargetInfluences.length;++y){let b={},U=!1;for(let I in o.morphAttributes){if(I!=="position"&&I!=="normal"){U||(console.warn("GLTFExporter: Only POSITION and NORMAL morph are supported."),U=!0);continue}let P=o.morphAttributes[I][y],z=I.toUpperCase(),V=o.attributes[I];if(t.attributes.has(this.getUID(P,!0))){b[z]=t.attributes.get(this.getUID(P,!0));continue}let N=P.clone();if(!o.morphTargetsRelative)for(let B=0,X=P.count;B<X;B++)for(let G=0;G<P.itemSize;G++)G===0&&N.setX(B,P.getX(B)-V.getX(B)),G===1&&N.setY(B,P.getY(B)-V.getY(B)),G===2&&N.setZ(B,P.getZ(B)-V.getZ(B)),G===3&&N.setW(B,P.getW(B)-V.getW(B));b[z]=this.processAccessor(N,o),t.attributes.set(this.getUID(V,!0),b[z])}u.push(b),_.push(e.morphTargetInfluences[y]),e.morphTargetDictionary!==void 0&&R.push(A[y])}l.weights=_,R.length>0&&(l.extras={},l.extras.targetNames=R)}let x=Array.isArray(e.material);if(x&&o.groups.length===0)return null;let m=!1;if(x&&o.index===null){let _=[];for(let R=0,A=o.attributes.position.count;R<A;R++)_[R]=R;o.setIndex(_),m=!0}let g=x?e.material:[e.material],v=x?o.groups:[{materialIndex:0,start:void 0,count:void 0}];for(let _=0,R=v.length;_<R;_++){let A={mode:a,attributes:c};if(this.serializeUserData(o,A),u.length>0&&(A.targets=u),o.index!==null){let b=this.getUID(o.index);(v[_].start!==void 0||v[_].count!==void 0)&&(b+=":"+v[_].start+":"+v[_].count),t.attributes.has(b)?A.indices=t.attributes.get(b):(A.indices=this.processAccessor(o.index,o,v[_].start,v[_].count),t.attributes.set(b,A.indices)),A.indices===null&&delete A.indices}let y=await this.processMaterialAsync(g[v[_].materialIndex],o);y!==null&&(A.material=y),h.push(A)}m===!0&&o.setIndex(null),l.primitives=h,n.meshes||(n.meshes=[]),await this._invokeAllAsync(function(_){_.writeMesh&&_.writeMesh(e,l)});let E=n.meshes.push(l)-1;return t.meshes.set(r,E),E}detectMeshQuantization(e,t){if(this.extensionsUsed[Pf])return;let n;switch(t.array.constructor){case Int8Array:n="byte";break;case Uint8Array:n="unsigned byte";break;case Int16Array:n="short";break;case Uint16Array:n="unsigned short";break;default:return}t.normalized&&(n+=" normalized");let s=e.split("_",1)[0];Mg[s]&&Mg[s].includes(n)&&(this.extensionsUsed[Pf]=!0,this.extensionsRequired[Pf]=!0)}processCamera(e){let t=this.json;t.cameras||(t.cameras=[]);let n=e.isOrthographicCamera,s={type:n?"orthographic":"perspective"};return n?s.orthographic={xmag:e.right,ymag:e.top,zfar:e.far<=0?.001:e.far,znear:e.near<0?0:e.near}:s.perspective={aspectRatio:e.aspect,yfov:Ro.degToRad(e.fov),zfar:e.far<=0?.001:e.far,znear:e.near<0?0:e.near},e.name!==""&&(s.name=e.type),t.cameras.push(s)-1}processAnimation(e,t){let n=this.json,s=this.nodeMap;n.animations||(n.animations=[]),e=Qs.Utils.mergeMorphTargetTracks(e.clone(),t);let r=e.tracks,o=[],a=[];for(let c=0;c<r.length;++c){let h=r[c],u=Ut.parseTrackName(h.name),f=Ut.findNode(t,u.nodeName),d=Sg[u.propertyName];if(u.objectName==="bones"&&(f.isSkinnedMesh===!0?f=f.skeleton.getBoneByName(u.objectIndex):f=void 0),!f||!d){console.warn('THREE.GLTFExporter: Could not export animation track "%s".',h.name);continue}let p=1,x=h.values.length/h.times.length;d===Sg.morphTargetInfluences&&(x/=f.morphTargetInfluences.length);let m;h.createInterpolant.isInterpolantFactoryMethodGLTFCubicSpline===!0?(m="CUBICSPLINE",x/=3):h.getInterpolation()===hr?m="STEP":m="LINEAR",a.push({input:this.processAccessor(new Ot(h.times,p)),output:this.processAccessor(new Ot(h.values,x)),interpolation:m}),o.push({sampler:a.length-1,target:{node:s.get(f),path:d}})}let l={name:e.name||"clip_"+n.animations.length,samplers:a,channels:o};return this.serializeUserData(e,l),n.animations.push(l),n.animations.length-1}processSkin(e){let t=this.json,n=this.nodeMap,s=t.nodes[n.get(e)],r=e.skeleton;if(r===void 0)return null;let o=e.skeleton.bones[0];if(o===void 0)return null;let a=[],l=new Float32Array(r.bones.length*16),c=new Rt;for(let u=0;u<r.bones.length;++u)a.push(n.get(r.bones[u])),c.copy(r.boneInverses[u]),c.multiply(e.bindMatrix).toArray(l,u*16);return t.skins===void 0&&(t.skins=[]),t.skins.push({inverseBindMatrices:this.processAccessor(new Ot(l,16)),joints:a,skeleton:n.get(o)}),s.skin=t.skins.length-1}async processNodeAsync(e){let t=this.json,n=this.options,s=this.nodeMap;if(t.nodes||(t.nodes=[]),e.pivot!==null)return await this._processNodeWithPivotAsync(e);let r={};if(n.trs){let a=e.quaternion.toArray(),l=e.position.toArray(),c=e.scale.toArray();Es(a,[0,0,0,1])||(r.rotation=a),Es(l,[0,0,0])||(r.translation=l),Es(c,[1,1,1])||(r.scale=c)}else e.matrixAutoUpdate&&e.updateMatrix(),ww(e.matrix)===!1&&(r.matrix=e.matrix.elements);if(e.name!==""&&(r.name=String(e.name)),this.serializeUserData(e,r),e.isMesh||e.isLine||e.isPoints){let a=await this.processMeshAsync(e);a!==null&&(r.mesh=a)}else e.isCamera&&(r.camera=this.processCamera(e));e.isSkinnedMesh&&this.skins.push(e);let o=t.nodes.push(r)-1;if(s.set(e,o),e.children.length>0){let a=[];for(let l=0,c=e.children.length;l<c;l++){let h=e.children[l];if(h.visible||n.onlyVisible===!1){let u=await this.processNodeAsync(h);u!==null&&a.push(u)}}a.length>0&&(r.children=a)}return await this._invokeAllAsync(function(a){a.writeNode&&a.writeNode(e,r)}),o}async _processNodeWithPivotAsync(e){let t=this.json,n=this.options,s=this.nodeMap,r=e.pivot,o={},a=e.quaternion.toArray(),l=[e.position.x+r.x,e.position.y+r.y,e.position.z+r.z],c=e.scale.toArray();Es(a,[0,0,0,1])||(o.rotation=a),Es(l,[0,0,0])||(o.translation=l),Es(c,[1,1,1])||(o.scale=c),o.extras={pivot:r.toArray()},e.name!==""&&(o.name=String(e.name)),this.serializeUserData(e,o);let h=t.nodes.push(o)-1;s.set(e,h);let u={},f=[-r.x,-r.y,-r.z];if(Es(f,[0,0,0])||(u.translation=f),e.isMesh||e.isLine||e.isPoints){let x=await this.processMeshAsync(e);x!==null&&(u.mesh=x)}else e.isCamera&&(u.camera=this.processCamera(e));e.isSkinnedMesh&&this.skins.push(e);let p=[t.nodes.push(u)-1];if(e.children.length>0){let x=[];for(let m=0,g=e.children.length;m<g;m++){let v=e.children[m];if(v.visible||n.onlyVisible===!1){let E=await this.processNodeAsync(v);E!==null&&x.push(E)}}x.length>0&&(u.children=x)}return o.children=p,await this._invokeAllAsync(function(x){x.writeNode&&x.writeNode(e,o)}),h}async processSceneAsync(e){let t=this.json,n=this.options;t.scenes||(t.scenes=[],t.scene=0);let s={};e.name!==""&&(s.name=e.name),t.scenes.push(s);let r=[];for(let o=0,a=e.children.length;o<a;o++){let l=e.children[o];if(l.visible||n.onlyVisible===!1){let c=await this.processNodeAsync(l);c!==null&&r.push(c)}}r.length>0&&(s.nodes=r),this.serializeUserData(e,s)}async processObjectsAsync(e){let t=new ys;t.name="AuxScene";for(let n=0;n<e.length;n++)t.children.push(e[n]);await this.processSceneAsync(t)}async processInputAsync(e){let t=this.options;e=e instanceof Array?e:[e],await this._invokeAllAsync(function(s){s.beforeParse&&s.beforeParse(e)});let n=[];for(let s=0;s<e.length;s++)e[s]instanceof ys?await this.processSceneAsync(e[s]):n.push(e[s]);n.length>0&&await this.processObjectsAsync(n);for(let s=0;s<this.skins.length;++s)this.processSkin(this.skins[s]);if(e.length===1)for(let s=0;s<t.animations.length;++s)this.processAnimation(t.animations[s],e[0]);else for(let s=0;s<e.length;s++){let r=t.animations[s]||[];for(let o=0;o<r.length;++o)this.processAnimation(r[o],e[s])}await this._invokeAllAsync(function(s){s.afterParse&&s.afterParse(e)})}async _invokeAllAsync(e){for(let t=0,n=this.plugins.length;t<n;t++)await e(this.plugins[t])}},Uf=class{constructor(e){this.writer=e,this.name="KHR_lights_punctual"}writeNode(e,t){if(!e.isLight)return;if(!e.isDirectionalLight&&!e.isPointLight&&!e.isSpotLight){console.warn("THREE.GLTFExporter: Only directional, point, and spot lights are supported.",e);return}let n=this.writer,s=n.json,r=n.extensionsUsed,o={};e.name&&(o.name=e.name),o.color=e.color.toArray(),o.intensity=e.intensity,e.isDirectionalLight?o.type="directional":e.isPointLight?(o.type="point",e.distance>0&&(o.range=e.distance)):e.isSpotLight&&(o.type="spot",e.distance>0&&(o.range=e.distance),o.spot={},o.spot.innerConeAngle=(1-e.penumbra)*e.angle,o.spot.outerConeAngle=e.angle),e.decay!==void 0&&e.decay!==2&&console.warn("THREE.GLTFExporter: Light decay may be lost. glTF is physically-based, and expects light.decay=2."),e.target&&(e.target.parent!==e||e.target.position.x!==0||e.target.position.y!==0||e.target.position.z!==-1)&&console.warn("THREE.GLTFExporter: Light direction may be lost. For best results, make light.target a child of the light with position 0,0,-1."),r[this.name]||(s.extensions=s.extensions||{},s.extensions[this.name]={lights:[]},r[this.name]=!0);let a=s.extensions[this.name].lights;a.push(o),t.extensions=t.extensions||{},t.extensions[this.name]={light:a.length-1}}},Ff=class{constructor(e){this.writer=e,this.name="KHR_materials_unlit"}async writeMaterialAsync(e,t){if(!e.isMeshBasicMaterial)return;let s=this.writer.extensionsUsed;t.extensions=t.extensions||{},t.extensions[this.name]={},s[this.name]=!0,t.pbrMetallicRoughness.metallicFactor=0,t.pbrMetallicRoughness.roughnessFactor=.9}},Of=class{constructor(e){this.writer=e,this.name="KHR_materials_clearcoat"}async writeMaterialAsync(e,t){if(!e.isMeshPhysicalMaterial||e.clearcoat===0)return;let n=this.writer,s=n.extensionsUsed,r={};if(r.clearcoatFactor=e.clearcoat,e.clearcoatMap){let o={index:await n.processTextureAsync(e.clearcoatMap),texCoord:e.clearcoatMap.channel};n.applyTextureTransform(o,e.clearcoatMap),r.clearcoatTexture=o}if(r.clearcoatRoughnessFactor=e.clearcoatRoughness,e.clearcoatRoughnessMap){let o={index:await n.processTextureAsync(e.clearcoatRoughnessMap),texCoord:e.clearcoatRoughnessMap.channel};n.applyTextureTransform(o,e.clearcoatRoughnessMap),r.clearcoatRoughnessTexture=o}if(e.clearcoatNormalMap){let o={index:await n.processTextureAsync(e.clearcoatNormalMap),texCoord:e.clearcoatNormalMap.channel};e.clearcoatNormalScale.x!==1&&(o.scale=e.clearcoatNormalScale.x),n.applyTextureTransform(o,e.clearcoatNormalMap),r.clearcoatNormalTexture=o}t.extensions=t.extensions||{},t.extensions[this.name]=r,s[this.name]=!0}},Bf=class{constructor(e){this.writer=e,this.name="KHR_materials_dispersion"}async writeMaterialAsync(e,t){if(!e.isMeshPhysicalMaterial||e.dispersion===0)return;let s=this.writer.extensionsUsed,r={};r.dispersion=e.dispersion,t.extensions=t.extensions||{},t.extensions[this.name]=r,s[this.name]=!0}},zf=class{constructor(e){this.writer=e,this.name="KHR_materials_iridescence"}async writeMaterialAsync(e,t){if(!e.isMeshPhysicalMaterial||e.iridescence===0)return;let n=this.writer,s=n.extensionsUsed,r={};if(r.iridescenceFactor=e.iridescence,e.iridescenceMap){let o={index:await n.processTextureAsync(e.iridescenceMap),texCoord:e.iridescenceMap.channel};n.applyTextureTransform(o,e.iridescenceMap),r.iridescenceTexture=o}if(r.iridescenceIor=e.iridescenceIOR,r.iridescenceThicknessMinimum=e.iridescenceThicknessMinimum,r.iridescenceThicknessMaximum=e.iridescenceThicknessMaximum,e.iridescenceThicknessMap){let o={index:await n.processTextureAsync(e.iridescenceThicknessMap),texCoord:e.iridescenceThicknessMap.channel};n.applyTextureTransform(o,e.iridescenceThicknessMap),r.iridescenceThicknessTexture=o}t.extensions=t.extensions||{},t.extensions[this.name]=r,s[this.name]=!0}},kf=class{constructor(e){this.writer=e,this.name="KHR_materials_transmission"}async writeMaterialAsync(e,t){if(!e.isMeshPhysicalMaterial||e.transmission===0)return;let n=this.writer,s=n.extensionsUsed,r={};if(r.transmissionFactor=e.transmission,e.transmissionMap){let o={index:await n.processTextureAsync(e.transmissionMap),texCoord:e.transmissionMap.channel};n.applyTextureTransform(o,e.transmissionMap),r.transmissionTexture=o}t.extensions=t.extensions||{},t.extensions[this.name]=r,s[this.name]=!0}},Gf=class{constructor(e){this.writer=e,this.name="KHR_materials_volume"}async writeMaterialAsync(e,t){if(!e.isMeshPhysicalMaterial||e.transmission===0)return;let n=this.writer,s=n.extensionsUsed,r={};if(r.thicknessFactor=e.thickness,e.thicknessMap){let o={index:await n.processTextureAsync(e.thicknessMap),texCoord:e.thicknessMap.channel};n.applyTextureTransform(o,e.thicknessMap),r.thicknessTexture=o}e.attenuationDistance!==1/0&&(r.attenuationDistance=e.attenuationDistance),r.attenuationColor=e.attenuationColor.toArray(),t.extensions=t.extensions||{},t.extensions[this.name]=r,s[this.name]=!0}},Vf=class{constructor(e){this.writer=e,this.name="KHR_materials_ior"}async writeMaterialAsync(e,t){if(!e.isMeshPhysicalMaterial||e.ior===1.5)return;let s=this.writer.extensionsUsed,r={};r.ior=e.ior,t.extensions=t.extensions||{},t.extensions[this.name]=r,s[this.name]=!0}},Hf=class{constructor(e){this.writer=e,this.name="KHR_materials_specular"}async writeMaterialAsync(e,t){if(!e.isMeshPhysicalMaterial||e.specularIntensity===1&&e.specularColor.equals(_w)&&!e.specularIntensityMap&&!e.specularColorMap)return;let n=this.writer,s=n.extensionsUsed,r={};if(e.specularIntensityMap){let o={index:await n.processTextureAsync(e.specularIntensityMap),texCoord:e.specularIntensityMap.channel};n.applyTextureTransform(o,e.specularIntensityMap),r.specularTexture=o}if(e.specularColorMap){let o={index:await n.processTextureAsync(e.specularColorMap),texCoord:e.specularColorMap.channel};n.applyTextureTransform(o,e.specularColorMap),r.specularColorTexture=o}r.specularFactor=e.specularIntensity,r.specularColorFactor=e.specularColor.toArray(),t.extensions=t.extensions||{},t.extensions[this.name]=r,s[this.name]=!0}},Wf=class{constructor(e){this.writer=e,this.name="KHR_materials_sheen"}async writeMaterialAsync(e,t){if(!e.isMeshPhysicalMaterial||e.sheen==0)return;let n=this.writer,s=n.extensionsUsed,r={};if(e.sheenRoughnessMap){let o={index:await n.processTextureAsync(e.sheenRoughnessMap),texCoord:e.sheenRoughnessMap.channel};n.applyTextureTransform(o,e.sheenRoughnessMap),r.sheenRoughnessTexture=o}if(e.sheenColorMap){let o={index:await n.processTextureAsync(e.sheenColorMap),texCoord:e.sheenColorMap.channel};n.applyTextureTransform(o,e.sheenColorMap),r.sheenColorTexture=o}r.sheenRoughnessFactor=e.sheenRoughness,r.sheenColorFactor=e.sheenColor.toArray(),t.extensions=t.extensions||{},t.extensions[this.name]=r,s[this.name]=!0}},Xf=class{constructor(e){this.writer=e,this.name="KHR_materials_anisotropy"}async writeMaterialAsync(e,t){if(!e.isMeshPhysicalMaterial||e.anisotropy==0)return;let n=this.writer,s=n.extensionsUsed,r={};if(e.anisotropyMap){let o={index:await n.processTextureAsync(e.anisotropyMap)};n.applyTextureTransform(o,e.anisotropyMap),r.anisotropyTexture=o}r.anisotropyStrength=e.anisotropy,r.anisotropyRotation=e.anisotropyRotation,t.extensions=t.extensions||{},t.extensions[this.name]=r,s[this.name]=!0}},qf=class{constructor(e){this.writer=e,this.name="KHR_materials_emissive_strength"}async writeMaterialAsync(e,t){if(!e.isMeshStandardMaterial||e.emissiveIntensity===1)return;let s=this.writer.extensionsUsed,r={};r.emissiveStrength=e.emissiveIntensity,t.extensions=t.extensions||{},t.extensions[this.name]=r,s[this.name]=!0}},Yf=class{constructor(e){this.writer=e,this.name="EXT_materials_bump"}async writeMaterialAsync(e,t){if(!e.isMeshStandardMaterial||e.bumpScale===1&&!e.bumpMap)return;let n=this.writer,s=n.extensionsUsed,r={};if(e.bumpMap){let o={index:await n.processTextureAsync(e.bumpMap),texCoord:e.bumpMap.channel};n.applyTextureTransform(o,e.bumpMap),r.bumpTexture=o}r.bumpFactor=e.bumpScale,t.extensions=t.extensions||{},t.extensions[this.name]=r,s[this.name]=!0}},$f=class{constructor(e){this.writer=e,this.name="EXT_mesh_gpu_instancing"}writeNode(e,t){if(!e.isInstancedMesh)return;let n=this.writer,s=e,r=new Float32Array(s.count*3),o=new Float32Array(s.count*4),a=new Float32Array(s.count*3),l=new Rt,c=new k,h=new yi,u=new k;for(let d=0;d<s.count;d++)s.getMatrixAt(d,l),l.decompose(c,h,u),c.toArray(r,d*3),h.toArray(o,d*4),u.toArray(a,d*3);let f={TRANSLATION:n.processAccessor(new Ot(r,3)),ROTATION:n.processAccessor(new Ot(o,4)),SCALE:n.processAccessor(new Ot(a,3))};s.instanceColor&&(f._COLOR_0=n.processAccessor(s.instanceColor)),t.extensions=t.extensions||{},t.extensions[this.name]={attributes:f},n.extensionsUsed[this.name]=!0,n.extensionsRequired[this.name]=!0}};Qs.Utils={insertKeyframe:function(i,e){let n=i.getValueSize(),s=new i.TimeBufferType(i.times.length+1),r=new i.ValueBufferType(i.values.length+n),o=i.createInterpolant(new i.ValueBufferType(n)),a;if(i.times.length===0){s[0]=e;for(let l=0;l<n;l++)r[l]=0;a=0}else if(e<i.times[0]){if(Math.abs(i.times[0]-e)<.001)return 0;s[0]=e,s.set(i.times,1),r.set(o.evaluate(e),0),r.set(i.values,n),a=0}else if(e>i.times[i.times.length-1]){if(Math.abs(i.times[i.times.length-1]-e)<.001)return i.times.length-1;s[s.length-1]=e,s.set(i.times,0),r.set(i.values,0),r.set(o.evaluate(e),i.values.length),a=s.length-1}else for(let l=0;l<i.times.length;l++){if(Math.abs(i.times[l]-e)<.001)return l;if(i.times[l]<e&&i.times[l+1]>e){s.set(i.times.slice(0,l+1),0),s[l+1]=e,s.set(i.times.slice(l+1),l+2),r.set(i.values.slice(0,(l+1)*n),0),r.set(o.evaluate(e),(l+1)*n),r.set(i.values.slice((l+1)*n),(l+2)*n),a=l+1;break}}return i.times=s,i.values=r,a},mergeMorphTargetTracks:function(i,e){let t=[],n={},s=i.tracks;for(let r=0;r<s.length;++r){let o=s[r],a=Ut.parseTrackName(o.name),l=Ut.findNode(e,a.nodeName);if(a.propertyName!=="morphTargetInfluences"||a.propertyIndex===void 0){t.push(o);continue}if(o.createInterpolant!==o.InterpolantFactoryMethodDiscrete&&o.createInterpolant!==o.InterpolantFactoryMethodLinear){if(o.createInterpolant.isInterpolantFactoryMethodGLTFCubicSpline)throw new Error("THREE.GLTFExporter: Cannot merge tracks with glTF CUBICSPLINE interpolation.");console.warn("THREE.GLTFExporter: Morph target interpolation mode not yet supported. Using LINEAR instead."),o=o.clone(),o.setInterpolation(ro)}let c=l.morphTargetInfluences.length,h=l.morphTargetDictionary[a.propertyIndex];if(h===void 0)throw new Error("THREE.GLTFExporter: Morph target name not found: "+a.propertyIndex);let u;if(n[l.uuid]===void 0){u=o.clone();let d=new u.ValueBufferType(c*u.times.length);for(let p=0;p<u.times.length;p++)d[p*c+h]=u.values[p];u.name=(a.nodeName||"")+".morphTargetInfluences",u.values=d,n[l.uuid]=u,t.push(u);continue}let f=o.createInterpolant(new o.ValueBufferType(1));u=n[l.uuid];for(let d=0;d<u.times.length;d++)u.values[d*c+h]=f.evaluate(u.times[d]);for(let d=0;d<o.times.length;d++){let p=this.insertKeyframe(u,o.times[d]);u.values[p*c+h]=o.values[d]}}return i.tracks=t,i},toTypedBufferAttribute:function(i,e){let t=new Ot(new e(i.count*i.itemSize),i.itemSize,!1);if(!i.normalized&&!i.isInterleavedBufferAttribute)return t.array.set(i.array),t;for(let n=0,s=i.count;n<s;n++)for(let r=0;r<i.itemSize;r++)t.setComponent(n,r,i.getComponent(n,r));return t}};function Qa(i,e,t){let n=document.createElement("a");n.href=URL.createObjectURL(new Blob([e],{type:t})),n.download=i,document.body.append(n),n.click(),n.remove(),setTimeout(()=>URL.revokeObjectURL(n.href),3e4)}function Tg(i){return new Promise((e,t)=>{i.toBlob(n=>n?e(n):t(new Error("the browser gave no picture")),"image/png")})}async function Eg(i){let{layers:e,scene:t,source:n}=i,s=e.main.bodies,r=new Ht;r.name=t.name,r.rotation.x=-Math.PI/2;let o=[],a=i.moment;for(let h=0;h<i.worlds;h++)for(let u=0;u<t.bodies.length;u++){let f=new Ht;f.name=i.worlds>1?`${t.bodies[u]} ${h+1}`:t.bodies[u],Ew(f,a.poses,7*(h*t.bodies.length+u),i.offsets[h]),o.push(f),r.add(f)}let l=new Map;for(let{mesh:h,items:u,locals:f,sticks:d}of s.batches)d||u.forEach((p,x)=>{let m=`${p.colour.getHexString?.()??p.colour} ${h.material.opacity}`;l.has(m)||l.set(m,new bi({color:p.colour,roughness:.52,metalness:.04,opacity:h.material.opacity,transparent:h.material.opacity<1}));for(let g=0;g<i.worlds;g++){let v=new xn(h.geometry,l.get(m));v.name=p.geometry.name;let E=f.subarray(12*x,12*x+12);v.matrix.set(...E,0,0,0,1),v.matrix.decompose(v.position,v.quaternion,v.scale),o[g*t.bodies.length+p.geometry.body].add(v)}});let c=n.live?[]:[Rw(i,o)];return new Qs().parseAsync(r,{binary:!0,animations:c,onlyVisible:!1})}function Ew(i,e,t,n){i.position.set(e[t]+n[0],e[t+1]+n[1],e[t+2]+n[2]),i.quaternion.set(e[t+4],e[t+5],e[t+6],e[t+3]).normalize()}function Rw(i,e){let{recording:t}=i.source,n=t.poses[t.main],s=Array.from(t.times,l=>l-t.first),r=7*e.length,o=i.scene.bodies.length,a=e.flatMap((l,c)=>{if(c%o===0)return[];let h=i.offsets[Math.floor(c/o)],u=f=>s.flatMap((d,p)=>f(p*r+7*c));return[new pr(`${l.uuid}.position`,s,u(f=>[n[f]+h[0],n[f+1]+h[1],n[f+2]+h[2]])),new $s(`${l.uuid}.quaternion`,s,u(f=>[n[f+4],n[f+5],n[f+6],n[f+3]]))]});return new Da("motion",-1,a)}var ph=class{constructor(e){this.writer=new Ko(e,{framerate:30}),this.start=null,this.last=0,this.busy=!1}frame(e){this.start??=e;let t=(e-this.start)/1e3;this.busy||this.ending||this.writer.frames>0&&t-this.last<1/40||(this.busy=!0,this.last=t,this.pending=this.writer.add(t,1/30).finally(()=>this.busy=!1))}async end(){return this.ending=!0,await this.pending,this.writer.finish()}};var Jf=[{keys:[" "],shown:"Space",does:"play or pause",run:i=>i.togglePlay(),mujoco:!0},{keys:["ArrowRight"],shown:"→",does:"one step",run:i=>i.step(1),mujoco:!0},{keys:["ArrowLeft"],shown:"←",does:"one step back",run:i=>i.step(-1),mujoco:!0},{keys:["Backspace"],shown:"Backspace",does:"reset",run:i=>i.reset(),mujoco:!0},{keys:["-"],shown:"−",does:"slower",run:i=>i.changeSpeed(-1),mujoco:!0},{keys:["=","+"],shown:"=",does:"faster",run:i=>i.changeSpeed(1),mujoco:!0},{keys:["Tab"],shown:"Tab",does:"open the panels and go there; Esc comes back",run:i=>i.enterPanels(),mujoco:!0},{keys:["F1"],shown:"F1 or ?",does:"this help",run:i=>i.toggleHelp(),mujoco:!0},{keys:["?"],run:i=>i.toggleHelp()},{keys:["F2"],shown:"F2",does:"time and energy",run:i=>i.toggleInfo(),mujoco:!0},{keys:["F3"],shown:"F3",does:"plots",run:i=>i.togglePlots(),mujoco:!0},{keys:["F5"],shown:"F5",does:"full screen",run:i=>i.toggleFullScreen(),mujoco:!0},{keys:["F6"],shown:"F6",does:"frames of bodies",run:i=>i.toggle("frames"),mujoco:!0},{keys:["c"],shown:"C",does:"contact points",run:i=>i.toggle("points"),mujoco:!0},{keys:["f"],shown:"F",does:"contact forces",run:i=>i.toggle("forces"),mujoco:!0},{keys:["j"],shown:"J",does:"joint axes",run:i=>i.toggle("axes"),mujoco:!0},{keys:["i"],shown:"I",does:"boxes of equal inertia",run:i=>i.toggle("inertia"),mujoco:!0},{keys:["m"],shown:"M",does:"centres of mass",run:i=>i.toggle("centres"),mujoco:!0},{keys:["t"],shown:"T",does:"bodies one can see through",run:i=>i.toggle("transparent"),mujoco:!0},{keys:["s"],shown:"S",does:"shadows",run:i=>i.toggle("shadows"),mujoco:!0},{keys:["g"],shown:"G",does:"visual or collision geometry, or both",run:i=>i.nextRoles()},{keys:["l"],shown:"L",does:"trail of the chosen body",run:i=>i.toggleTrail()},{keys:["[","]"],shown:"[ ]",does:"choose the body before or after",run:(i,e)=>i.selectNext(e==="]"?1:-1)},{keys:["PageUp","PageDown"],shown:"Page ↑ ↓",does:"nearer or farther",run:(i,e)=>i.nearer(e==="PageUp"?.85:1.1764705882352942)},{keys:["Home"],shown:"Home",does:"look at everything",run:i=>i.frameAll()},{keys:["Escape"],shown:"Esc",does:"back to the scene; choose nothing",run:i=>i.escape(),mujoco:!0}],Rg=[{shown:"Shift + arrows",does:"turn the camera"},{shown:"Alt + arrows",does:"pull the chosen body; Alt + Page ↑ ↓ lifts or presses it"}],Zf={ArrowRight:[1,0,0],ArrowLeft:[-1,0,0],ArrowUp:[0,1,0],ArrowDown:[0,-1,0],PageUp:[0,0,1],PageDown:[0,0,-1]};function Cg(i,e,t,n){i.addEventListener("keydown",s=>{let{key:r}=s;if(s.ctrlKey||s.metaKey)return;if(r==="Escape")return s.preventDefault(),t.escape();let o=s.target,a=o.matches?.("input:not([type=checkbox]), select, textarea"),l=o.matches?.("button, summary, input[type=checkbox], a")&&(r===" "||r==="Enter");if(a||l||r==="Tab"&&o!==e||r==="Tab"&&s.shiftKey)return;if(Zf[r]&&(s.shiftKey||s.altKey)){s.preventDefault();let[h,u,f]=Zf[r];s.altKey?t.pullByKeys(h,u,f):t.turn(-.1*h,.08*u);return}let c=Jf.find(h=>h.keys.includes(r)||h.keys.includes(r.toLowerCase()));!c||s.altKey||r==="Tab"&&t.embedded||(s.preventDefault(),c.run(t,r))},{signal:n}),i.addEventListener("keyup",s=>{(s.key==="Alt"||Zf[s.key])&&t.endPullByKeys()},{signal:n})}var Cw=[["Drag a body","pull it by a spring"],["Drag the background","turn the camera"],["Right or Shift drag","move the camera"],["Wheel","nearer or farther"],["Click a body","choose it; of another world: follow that"],["Double click","look there"]];function Ig(i){let e=n=>n.map(([s,r,o])=>[ae("dt",{},ae("kbd",{text:s})),ae("dd",{text:r},o?ae("span",{class:"same",text:" •",title:"as in MuJoCo's viewer"}):null)]).flat(),t=ae("dialog",{class:"help","aria-label":"Help"},ae("header",{},ae("h2",{text:"Keys and mouse"}),Ai("Close","close",()=>t.close())),ae("dl",{},e(Cw.slice(i?0:1)),e(Rg.slice(0,i?2:1).map(({shown:n,does:s})=>[n,s])),e(Jf.filter(n=>n.shown).map(({shown:n,does:s,mujoco:r})=>[n,s,r]))),ae("p",{class:"hint-text",text:"• is the same key as in MuJoCo's viewer."}));return t}var Lg="#dfe3e8",Iw="#4a5361",Pw="#3aa8a0",Lw="#e0457b",mh=class{constructor(e,t,n,{roles:s="visual",look:r=null,transparent:o=!1}={}){this.group=new Ht,this.scene=e,this.worlds=n,this.look=r,this.count=e.bodies.length,this.matrices=new Float64Array(12*this.count*n);let a=new Map;for(let l of Dw(e,s)){let c=Uw(l,s),h=r?1:(l.colour?.[3]??1)*(o?.35:1)*(s==="both"&&l.role==="collision"?.45:1);for(let u of t.parts(l)){let f=`${u.key} ${h}`;a.has(f)||a.set(f,{surface:u.surface,opacity:h,items:[]}),a.get(f).items.push({geometry:l,colour:c,local:Fw(l.pose,u)})}}this.addSticks(a,t,o?.35:1),this.batches=[...a.values()].map(l=>this.makeBatch(l))}makeBatch({surface:e,opacity:t,items:n,sticks:s}){let r=n.length*this.worlds,o=new Hs(e,this.look?Bw(this.look):Ow(t),r);o.frustumCulled=!1,o.castShadow=!this.look&&t===1,o.receiveShadow=!this.look,(this.look||t<1)&&(o.renderOrder=this.look?3:2);let a=new Ve;for(let c=0;c<r;c++)o.setColorAt(c,a.set(this.look?this.look.colour:n[c%n.length].colour));let l=new Float64Array(12*n.length);return n.forEach((c,h)=>l.set(c.local,12*h)),this.group.add(o),{mesh:o,items:n,locals:l,sticks:s}}update(e,t){for(let n=0;n<this.count*this.worlds;n++)js(e,7*n,this.matrices,12*n,t[Math.floor(n/this.count)]);for(let{mesh:n,items:s,locals:r,sticks:o}of this.batches){let a=n.instanceMatrix.array;if(o)this.stretch(s,r,a,e);else for(let l=0,c=0;l<this.worlds;l++)for(let h=0;h<s.length;h++,c++){let u=l*this.count+s[h].geometry.body;If(this.matrices,12*u,r,12*h,a,16*c),Pg(e,7*u)||a.fill(0,16*c,16*c+15)}n.instanceMatrix.needsUpdate=!0,n.boundingSphere=null}}addSticks(e,t,n){let{scene:s}=this,r=s.bodies.map((c,h)=>h>0&&!s.geometries.some(u=>u.body===h));if(!r.some(Boolean))return;let o=c=>s.joints.find(h=>h.body===c)?.anchor??[0,0,0],a=[];for(let c=1;c<s.bodies.length;c++){let h=(d,p)=>a.push({geometry:{name:s.bodies[c],body:c},colour:Lg,from:o(c),to:[d,p],local:new Float64Array(12)}),u=s.bodies.map((d,p)=>p).filter(d=>s.parents?.[d]===c&&d!==c&&d>0);if(r[c])for(let d of u)h(d,o(d));let f=s.masses.find(d=>d.body===c);r[c]&&u.length===0&&f&&h(c,f.centre.map((d,p)=>2*d-o(c)[p]))}if(a.length===0)return;let[{surface:l}]=t.parts({kind:"cylinder",size:[1,1,0]});e.set("sticks",{surface:l,opacity:n,items:a,sticks:!0})}stretch(e,t,n,s){let r=.02*(this.extent??1),o=new Float64Array([1,0,0,0,0,1,0,0,0,0,1,0]);for(let a=0,l=0;a<this.worlds;a++)for(let{geometry:c,from:h,to:[u,f]}of e){let d=Bn(this.matrices,12*(a*this.count+c.body),h),x=Bn(this.matrices,12*(a*this.count+u),f).map((g,v)=>g-d[v]),m=Math.hypot(...x);js([...d.map((g,v)=>g+x[v]/2),...dg(x)],0,t,0);for(let g=0;g<3;g++)t[4*g]*=r,t[4*g+1]*=r,t[4*g+2]*=Math.max(m/2,r);If(o,0,t,0,n,16*l),[c.body,u].every(g=>Pg(s,7*(a*this.count+g)))||n.fill(0,16*l,16*l+15),l+=1}}pick(e){let t=this.batches.flatMap(({mesh:h,items:u})=>{let f=e.intersectObject(h,!1)[0];return f?[{...f,items:u}]:[]});if(t.sort((h,u)=>h.distance-u.distance),t.length===0)return null;let{instanceId:n,items:s,point:r,distance:o}=t[0],a=s[n%s.length].geometry,l=Math.floor(n/s.length),c=r.toArray();return{world:l,body:a.body,geometry:a.name,distance:o,point:c,inBody:fg(this.matrices,12*(l*this.count+a.body),c)}}highlight(e,t){let n=t===null?null:`${e} ${t}`;if(n===this.highlighted||this.look)return;this.highlighted=n;let s=new Ve;for(let{mesh:r,items:o}of this.batches){for(let a=0;a<r.count;a++){let l=o[a%o.length],c=t===l.geometry.body&&e===Math.floor(a/o.length);r.setColorAt(a,c?s.set(l.colour).lerp(Nw,.45):s.set(l.colour))}r.instanceColor.needsUpdate=!0}}drawn(){return this.batches.flatMap(({mesh:e,items:t})=>Array.from({length:e.count},(n,s)=>{let{geometry:r}=t[s%t.length];return{name:r.name,body:r.body,world:Math.floor(s/t.length),matrix:Array.from(e.instanceMatrix.array.slice(16*s,16*s+16))}}))}bounds(e=0){let[t,n]=[new k(1/0,1/0,1/0),new k(-1/0,-1/0,-1/0)],s=new Rt;for(let{mesh:r,items:o}of this.batches){r.geometry.computeBoundingBox();for(let a=0;a<o.length;a++){let{geometry:l}=o[a];if(l.body===0||l.kind==="plane"||(s.fromArray(r.instanceMatrix.array,16*(e*o.length+a)),s.determinant()===0))continue;let c=r.geometry.boundingBox.clone().applyMatrix4(s);Number.isFinite(c.min.x)&&(t.min(c.min),n.max(c.max))}}return Number.isFinite(t.x)?[t,n]:null}dispose(){this.group.removeFromParent();for(let{mesh:e}of this.batches)e.material.dispose(),e.dispose()}},Nw=new Ve("#ffd166");function Pg(i,e){let t=Math.abs(i[e+3])+Math.abs(i[e+4])+Math.abs(i[e+5])+Math.abs(i[e+6]);return t>0&&t<1/0}function Dw(i,e){let t=o=>o.kind==="plane"&&o.body===0&&Math.abs(o.pose[4])+Math.abs(o.pose[5])<1e-6&&i.ground!==null,n=new Set(i.geometries.filter(o=>o.role==="visual").map(o=>o.body)),s=new Set(i.geometries.filter(o=>o.role==="collision").map(o=>o.body)),r=o=>e==="both"?!0:e==="collision"?o.role==="collision"||!s.has(o.body):o.role==="visual"||!n.has(o.body);return i.geometries.filter(o=>!t(o)&&r(o))}function Uw(i,e){return i.missing?Lw:e!=="visual"&&i.role==="collision"?Pw:i.colour?new Ve().setRGB(...i.colour.slice(0,3),"srgb"):i.kind==="cylinder"||i.kind==="sphere"?Iw:Lg}function Fw(i,{scale:e,at:t}){let n=new Float64Array(12);js(i,0,n,0);let s=Bn(n,0,t);for(let r=0;r<3;r++){for(let o=0;o<3;o++)n[4*r+o]*=e[o];n[4*r+3]=s[r]}return n}function Ow(i){return new bi({roughness:.52,metalness:.04,transparent:i<1,opacity:i,depthWrite:i===1,side:_n})}function Bw({hatched:i}){let e=new bi({roughness:1,transparent:!0,depthWrite:!1,envMapIntensity:.2});return e.onBeforeCompile=t=>{t.fragmentShader=t.fragmentShader.replace("#include <opaque_fragment>",`float rim = 1.0 - abs(dot(normalize(normal), normalize(vViewPosition)));
      outgoingLight = mix(diffuseColor.rgb, outgoingLight, 0.35);
      diffuseColor.a = mix(0.16, 0.95, rim * rim);
      ${i?"diffuseColor.a *= mod(gl_FragCoord.x + gl_FragCoord.y, 9.0) < 4.0 ? 1.0 : 0.12;":""}
      #include <opaque_fragment>`)},e.customProgramCacheKey=()=>`ghost ${i}`,e}var Ng=["#2f7de1","#e08a1e","#7a52d6","#2a9d4b"],gh=class{constructor(e,t,n,s,r){this.group=new Ht;let o=0;this.layers=e.map(a=>{let l=a.ghost?o++:0,c=zw(a.colour)??(a.ghost?Ng[l%Ng.length]:null),h=a.ghost?{colour:c,hatched:l%2===1}:null;return{...a,look:h,colour:c,visible:!0}}),this.rebuild(t,n,s,r)}rebuild(e,t,n,s){for(let r of this.layers){r.bodies?.dispose();let o=r.look?{...e,geometries:e.geometries.filter(a=>a.body!==0)}:e;r.bodies=new mh(o,t,n,{...s,look:r.look}),r.bodies.extent=s.extent,r.bodies.group.visible=r.visible,this.group.add(r.bodies.group)}}get main(){return this.layers.find(e=>!e.ghost)??this.layers[0]}show(e,t){let n=this.layers.find(s=>s.name===e);n.visible=t,n.bodies.group.visible=t}update(e,t){this.layers.forEach((n,s)=>{e[s]&&(n.visible||n===this.main)&&n.bodies.update(e[s],t)})}dispose(){for(let e of this.layers)e.bodies.dispose();this.group.removeFromParent()}};function zw(i){return i?typeof i=="string"?i:`#${i.slice(0,3).map(e=>Math.round(255*e).toString(16).padStart(2,"0")).join("")}`:null}var Sr=class{time=0;rate=0;energy=NaN;first=0;last=0;edge=!0;paused=!0;worlds=1;bodies=1;poses=new Float32Array(7);contacts=new Float32Array(0);channels=new Float32Array(0);q=new Float32Array(0);u=new Float32Array(0);drag=new Float32Array(8)};function Dg(i){let e=new DataView(i);if(i.byteLength<72||e.getUint32(0,!0)!==1195529777)throw new Error("this is no frame of a simulation");let t=Array.from({length:7},(p,x)=>e.getUint32(4*(x+1),!0)),[n,s,r,o,a,l,c]=t,h=72,u=p=>{let x=new Float32Array(i,h,p);return h+=4*p,x},f=72+4*(7*n*s+8*r+o+l+c+8);if(i.byteLength!==f)throw new Error(`a frame has ${i.byteLength} bytes instead of ${f}`);let d=p=>e.getFloat64(32+8*p,!0);return Object.assign(new Sr,{worlds:n,bodies:s,edge:(a&1)!==0,paused:(a&2)!==0,time:d(0),rate:d(1),energy:d(2),first:d(3),last:d(4),poses:u(7*n*s),contacts:u(8*r),channels:u(o),q:u(l),u:u(c),drag:u(8)})}var Ug=[250,500,1e3,2e3],xh=class{constructor(e,t){this.url=new URL(e,location.href.replace(/^http/,"ws")).href,this.on=t,this.live=!0,this.attempts=0,this.settings={},this.frames=0,this.bytes=0,this.untaken=0,this.moment=null,this.fresh=!1,this.connect()}connect(){this.on.state(this.attempts===0?"connecting":"lost");let e=new WebSocket(this.url);e.binaryType="arraybuffer",this.socket=e,e.onopen=()=>{this.attempts=0,this.untaken=0,this.on.state("open")},e.onmessage=({data:t})=>this.receive(t),e.onclose=()=>{this.closed||(this.attempts+=1,this.on.state("lost"),this.retry=setTimeout(()=>this.connect(),Ug[Math.min(this.attempts-1,Ug.length-1)]))}}receive(e){if(typeof e!="string"){this.untaken+=1,this.frames+=1,this.bytes+=e.byteLength;try{this.moment=Dg(e),this.fresh=!0}catch(n){this.on.problem(n.message)}return}let t=JSON.parse(e);t.scene&&(this.moment=null,this.on.scene(t.scene)),t.refused&&this.on.problem(t.refused),t.settings&&(this.settings={...this.settings,error:null,message:null,...t.settings},this.on.settings(this.settings))}take(){for(;this.untaken>0;this.untaken--)this.send({taken:1});return this.fresh=!1,this.moment}send(e){this.socket.readyState===WebSocket.OPEN&&this.socket.send(JSON.stringify(e))}get playing(){return this.moment?!this.moment.paused:!1}get speed(){return this.settings.speed??1}play(e){this.send({play:e})}playNewest(){this.moment&&!this.moment.edge&&this.seek(this.moment.last),this.play(!0)}step(e){this.send({step:e})}seek(e){this.send({seek:e})}reset(e=null){this.send({reset:e})}setSpeed(e){this.send({speed:e})}dispose(){this.closed=!0,clearTimeout(this.retry),this.socket.close()}};var kw=new Ve("#e5484d"),Gw=new Ve("#30a46c"),Vw=new Ve("#3e7bfa"),Hw=new Ve("#b8860b"),Ww=new Ve("#c99700"),Xw=new Ve("#0d9c8f"),Fg=1500,_h=class{constructor(e){this.scene=e,this.group=new Ht,this.frames=new li({through:!0}),this.axes=new li({through:!0,opacity:.9}),this.centres=new ai(new Mi(1,18,12),{through:!0}),this.boxes=new ai(new ji(2,2,2),{opacity:.3}),this.group.add(this.frames.group,this.axes.group,this.centres.group,this.boxes.group),this.shown={frames:!1,centres:!1,inertia:!1,axes:!1},this.trails=new Map,this.extent=1}update(e,t){let n=r=>12*(t*e.count+r),s=this.extent;for(let r of[this.frames,this.axes,this.centres,this.boxes])r.begin();if(this.shown.frames)for(let r=0;r<e.count;r++){let o=Bn(e.matrices,n(r),[0,0,0]);for(let[a,l]of[[[1,0,0],kw],[[0,1,0],Gw],[[0,0,1],Vw]])this.frames.add(o,ja(e.matrices,n(r),a).map(c=>c*.11*s),.0045*s,l)}for(let{body:r,centre:o,half:a,turn:l}of this.scene.masses){let c=Bn(e.matrices,n(r),o);this.shown.centres&&this.centres.add(c,[0,0,1],[.013*s,.013*s,.013*s],Hw),this.shown.inertia&&this.addBox(e.matrices,n(r),o,a,l)}if(this.shown.axes)for(let{body:r,kind:o,anchor:a,axis:l}of this.scene.joints){if(/free|fixed|spherical|ball|floating/i.test(o)||!l)continue;let c=ja(e.matrices,n(r),l).map(u=>u*.17*s),h=Bn(e.matrices,n(r),a??[0,0,0]).map((u,f)=>u-c[f]/2);this.axes.add(h,c,.007*s,Xw)}for(let r of[this.frames,this.axes,this.centres,this.boxes])r.end()}addBox(e,t,n,s,r){let o=new Float64Array(12);js([...n,...r],0,o,0),this.boxes.add([0,0,0],[0,0,1],[1,1,1],Ww);let a=this.boxes.mesh.instanceMatrix.array,l=16*(this.boxes.used-1);for(let c=0;c<3;c++)for(let h=0;h<3;h++)o[4*c+h]*=s[h];for(let c=0;c<3;c++)for(let h=0;h<4;h++){let u=h===3?e[t+4*c+3]:0;for(let f=0;f<3;f++)u+=e[t+4*c+f]*o[4*f+h];a[l+4*h+c]=u}}trail(e,t){if(!t)this.trails.get(e)?.line.removeFromParent(),this.trails.delete(e);else if(!this.trails.has(e)){let n=new Jt().setAttribute("position",new Ot(new Float32Array(3*Fg),3));n.setDrawRange(0,0);let s=new ur(n,new Xs({color:Og[this.trails.size%Og.length],toneMapped:!1}));s.frustumCulled=!1,this.group.add(s),this.trails.set(e,{line:s,points:[],time:-1/0})}}extendTrails(e,t,n){for(let[s,r]of this.trails){if((n<r.time||t!==r.world)&&(r.points.length=0),n===r.time&&r.points.length>0)continue;r.time=n,r.world=t,r.points.push(Bn(e.matrices,12*(t*e.count+s),this.scene.masses.find(a=>a.body===s)?.centre??[0,0,0])),r.points.length>Fg&&r.points.shift();let{position:o}=r.line.geometry.attributes;r.points.forEach((a,l)=>o.array.set(a,3*l)),o.needsUpdate=!0,r.line.geometry.setDrawRange(0,r.points.length)}}dispose(){for(let e of[this.frames,this.axes,this.centres,this.boxes])e.dispose();for(let{line:e}of this.trails.values())e.geometry.dispose(),e.material.dispose();this.group.removeFromParent()}},Og=["#e5484d","#3e7bfa","#30a46c","#c2378f","#c99700"];var Kf=1e3,br=class{constructor({label:e,unit:t="",limits:[n,s],value:r,onchange:o,title:a=""}){this.limits=[n,s],this.logarithmic=n>0&&s/n>50,this.onchange=o;let l=`${e}${t?` [${t}]`:""}`;this.range=ae("input",{type:"range",min:0,max:Kf,step:1,"aria-label":l,oninput:()=>this.change(this.valueAt(Number(this.range.value)))}),this.number=ae("input",{type:"number",step:"any","aria-label":`${l}, as a number`,onchange:()=>{let c=this.number.valueAsNumber;Number.isFinite(c)&&this.change(c)}}),this.root=ae("div",{class:"slider",title:a},ae("span",{class:"slider-name",text:e}),this.number,ae("span",{class:"slider-unit",text:t}),this.range),this.range.addEventListener("pointerdown",()=>this.held=!0);for(let c of["pointerup","pointercancel","blur"])this.range.addEventListener(c,()=>this.held=!1);this.show(r)}change(e){this.onchange(e),this.changed=performance.now(),this.show(e)}valueAt(e){let[t,n]=this.limits,s=e/Kf;return this.logarithmic?t*(n/t)**s:t+(n-t)*s}show(e){this.value=e;let[t,n]=this.limits,s=this.logarithmic?Math.log(Math.max(e,t)/t)/Math.log(n/t):(e-t)/(n-t||1),r=String(Math.round(Kf*Math.min(1,Math.max(0,s||0))));this.range.value!==r&&(this.range.value=r),this.range.style.setProperty("--part",`${Number(r)/10}%`);let o=ci(e,4).replaceAll("−","-").replace(/[^0-9.e+-]/g,"");!Ts(this.number)&&this.number.value!==o&&(this.number.value=o),this.range.setAttribute("aria-valuetext",o)}follow(e){!this.held&&performance.now()-(this.changed??0)>400&&this.show(e)}};var Bg=100,qw={revolute:[-Math.PI,Math.PI],prismatic:[-1,1]},zg=[["points","Contact points","C"],["forces","Contact forces","F"],["frames","Frames","F6"],["centres","Centres of mass","M"],["inertia","Boxes of equal inertia","I"],["axes","Joint axes","J"],["transparent","See through bodies","T"],["shadows","Shadows","S"],["grid","Ground grid",""]],yh=class{constructor(e){this.viewer=e,this.body=ae("div",{class:"panel-body"}),this.root=ae("aside",{class:"panels","aria-label":"Panels",tabindex:-1},this.body),this.open=new Map,this.followed=0}build(){let{viewer:e}=this,t=e.source.live;this.body.replaceChildren(...e.effects?[this.effectsSection=this.section("Networks",!0,this.effectsPart())]:[],this.section("Show",!0,this.showPart()),...e.layers.layers.length>1?[this.section("Motions",!0,this.layersPart())]:[],...e.vectors?.sets.length?[this.section("Arrows",!0,this.arrowsPart())]:[],...e.worlds>1?[this.section("Worlds",!0,this.worldsPart())]:[],...t?[this.simulation=this.section("Simulation",!0,[])]:[],...t?[this.parameters=this.section("Parameters",!0,[])]:[],...t?[this.actuators=this.section("Actuators",e.scene.actuators.length<=12,this.actuatorsPart())]:[],...t?[this.joints=this.section("Joints",!1,this.jointsPart())]:[],this.section("Chosen body",!0,this.bodyPart()),this.section("Save",!1,this.savePart()),...e.scene.notes?.length?[this.section("Notes",!0,e.scene.notes.map(n=>ae("p",{class:"note",text:n})))]:[]),t&&this.settingsChanged(e.source.settings);for(let n of[this.actuators,this.joints])n&&n.children.length<2&&(n.hidden=!0)}section(e,t,n){let s=ae("details",{open:this.open.get(e)??t,ontoggle:()=>this.open.set(e,s.open)},ae("summary",{text:e}),n);return s}showPart(){let{viewer:e}=this;this.switches={};let t=(a,l,c,h)=>{let u=ae("input",{type:"checkbox",checked:l,onchange:()=>c(u.checked)});return[ae("label",{class:"switch"},u,ae("span",{text:a}),h?ae("kbd",{text:h}):null),u]},n=zg.map(([a,l,c])=>{let[h,u]=t(l,e.shown[a],()=>e.toggle(a),c);return this.switches[a]=u,h}),[s,r]=t("Camera follows",e.orbit.following,a=>e.setFollowing(a),"");this.switches.follow=r,this.roles=ae("select",{"aria-label":"Geometry",onchange:()=>e.setRoles(this.roles.value)},[["visual","Visual geometry"],["collision","Collision geometry"],["both","Both geometries"]].map(([a,l])=>ae("option",{value:a,text:l}))),this.roles.value=e.roles;let o=new br({label:"Length of arrows",limits:[.1,10],value:e.larger,onchange:a=>e.setLarger(a)});return[ae("div",{class:"row"},this.roles,ae("kbd",{text:"G"})),...n,s,o.root]}layersPart(){return this.layerBoxes=new Map,this.viewer.layers.layers.map(e=>{let t=ae("input",{type:"checkbox",checked:e.visible,onchange:()=>this.viewer.showLayer(e.name,t.checked)});this.layerBoxes.set(e.name,t);let n=ae("span",{class:`swatch${e.look?.hatched?" hatched":""}${e.look?"":" own"}`});return n.style.setProperty("--swatch",e.colour??"var(--muted)"),ae("label",{class:"switch"},t,n,ae("span",{text:e.name}))})}arrowsPart(){return this.viewer.vectors.sets.map(e=>{let t=ae("input",{type:"checkbox",checked:e.visible,onchange:()=>{e.visible=t.checked,this.viewer.needsDrawing()}}),n=ae("span",{class:"swatch"});n.style.setProperty("--swatch",`#${e.colour.getHexString()}`);let s=e.text?[ae("p",{class:"note",text:e.text})]:[];return[ae("label",{class:"switch",title:`largest: ${ci(e.largest)} ${e.unit??""}`},t,n,ae("span",{text:`${e.name}${e.unit?` [${e.unit}]`:""}`})),...s]}).flat()}effectsPart(){let{effects:e,source:t}=this.viewer,n=ae("p",{class:"note",text:"What the networks of the fitted model change: without the network → with it."});this.changeRows=t.recording.changes.map((a,l)=>({...a,index:l,value:ae("span",{class:"effect-value"})}));let s=(a,l)=>{let c=ae("span",{class:"swatch"}),h=a&&ae("input",{type:"checkbox",checked:a.visible,onchange:()=>{a.visible=h.checked,this.viewer.needsDrawing()}});a&&c.style.setProperty("--swatch",`#${a.colour.getHexString()}`);let u=l[0]?.network?ae("p",{class:"hint-text",text:`by the network “${l[0].network}”`}):null,f=a?ae("label",{class:"switch"},h,c,ae("span",{class:"effect-name",text:a.name})):ae("span",{class:"effect-name",text:l[0].name}),d=l.length===1&&(!a||l[0].name===a.name),p=l.map(x=>ae("div",{class:"effect-row"},d?null:ae("span",{text:x.name.split("/").pop()}),x.value));return ae("div",{class:"effect"},f,u,...p)},r=e.sites.map((a,l)=>s(a,this.changeRows.filter(c=>c.site===l))),o=this.changeRows.filter(a=>a.site===null).map(a=>s(null,[a]));return[n,...r,...o]}sayEffects(e){let{recording:t}=this.viewer.source;for(let{index:n,unit:s,value:r}of this.changeRows){let[o,a]=t.changeAt(e.index,n);is(r,Number.isFinite(a)?`${ci(o)} → ${ci(o+a)}${s?` ${s}`:""}`:"not acting now")}}worldsPart(){let{viewer:e}=this;return this.world=ae("select",{"aria-label":"World that is followed",onchange:()=>e.follow(Number(this.world.value))},Array.from({length:e.worlds},(t,n)=>ae("option",{value:String(n),text:`World ${n+1}`}))),[ae("div",{class:"row"},this.world,ae("span",{class:"hint-text",text:"or click on one"}))]}bodyPart(){let{viewer:e}=this;return this.chosen=ae("select",{"aria-label":"Chosen body",onchange:()=>e.select(e.followed,this.chosen.value===""?null:Number(this.chosen.value))},ae("option",{value:"",text:"none"}),e.scene.bodies.slice(1).map((t,n)=>ae("option",{value:String(n+1),text:t}))),this.trail=ae("input",{type:"checkbox",onchange:()=>e.toggleTrail()}),this.facts=ae("p",{class:"facts","aria-live":"polite"}),[this.chosen,ae("label",{class:"switch"},this.trail,ae("span",{text:"Leave a trail"}),ae("kbd",{text:"L"})),this.facts]}savePart(){let{viewer:e}=this,t=(n,s,r)=>ae("button",{type:"button",text:n,title:s,onclick:r});return this.film=t("Video","Records a WebM until pressed again",()=>e.saveVideo()),[ae("div",{class:"buttons"},t("Picture","PNG of the scene",()=>e.savePicture()),this.film,t("Scene","GLB of the bodies, with their motion if it is a recording",()=>e.saveScene()),t("Channels","CSV of all channels that were recorded or plotted",()=>e.saveChannels()))]}actuatorsPart(){let{viewer:e}=this;this.actuatorSliders=e.scene.actuators.map(({name:n,range:s},r)=>new br({label:n,limits:s??[-1,1],value:0,onchange:o=>e.source.send({actuator:{index:r,value:o}})}));let t=ae("button",{type:"button",text:"All to zero",onclick:()=>this.actuatorSliders.forEach(n=>n.change(Math.min(n.limits[1],Math.max(n.limits[0],0))))});return this.actuatorSliders.length?[...this.actuatorSliders.map(n=>n.root),ae("div",{class:"buttons"},t)]:[]}jointsPart(){let{viewer:e}=this;return this.jointSliders=e.scene.joints.filter(t=>t.nq===1).map(t=>{let n=/prismatic|slide/i.test(t.kind)?"prismatic":"revolute",s=t.limits&&t.limits.every(Number.isFinite)&&t.limits[1]>t.limits[0]?t.limits:qw[n],r=new br({label:t.name,unit:n==="prismatic"?"m":"rad",limits:s,value:0,onchange:o=>e.source.send({joint:{q:t.q,value:o}})});return r.q=t.q,r}),this.jointSliders.map(t=>t.root)}settingsChanged(e){if(!this.simulation)return;let t=JSON.stringify([e.solver,e.solvers,e.time_step,e.gravity]);(t!==this.simulationKey||this.simulation.children.length<2)&&this.buildSimulation(e,t);let n=e.parameters??[],s=JSON.stringify(n.map(({name:r,lowest:o,highest:a})=>[r,o,a]));if(s!==this.parameterNames||this.parameters.children.length<2){this.parameterNames=s,this.parameterSliders=n.map(({name:o,unit:a,lowest:l,highest:c,value:h})=>new br({label:o,unit:a,limits:[l,c],value:h,onchange:u=>this.viewer.source.send({parameter:{name:o,value:u}})}));let r=ae("input",{type:"search",placeholder:"Find a parameter…","aria-label":"Find a parameter",oninput:()=>{let o=r.value.toLowerCase().split(/\s+/);this.parameterSliders.forEach((a,l)=>a.root.hidden=!o.every(c=>n[l].name.toLowerCase().includes(c)))}});this.parameters.replaceChildren(this.parameters.firstElementChild,...n.length>6?[r]:[],...this.parameterSliders.map(o=>o.root)),this.parameters.hidden=n.length===0}n.forEach(({value:r},o)=>this.parameterSliders[o]?.follow(r))}buildSimulation(e,t){let n=this.root.getRootNode().activeElement;if(this.simulation.contains(n)&&n.matches("input")&&this.simulation.children.length>1)return;this.simulationKey=t;let{source:s,scene:r}=this.viewer,o=[],a=(l,...c)=>o.push(ae("div",{class:"row"},ae("span",{class:"row-name",text:l}),...c));if(e.solvers?.length){let l=ae("select",{"aria-label":"Contact solver",onchange:()=>s.send({solver:l.value})},e.solvers.map(c=>ae("option",{value:c,text:c})));l.value=e.solver,a("Solver",l)}if(e.time_step){let l=ae("input",{type:"number",min:.01,step:"any","aria-label":"Time step [ms]",onchange:()=>l.valueAsNumber>0&&s.send({time_step:l.valueAsNumber/1e3})});l.value=String(+(1e3*e.time_step).toPrecision(6)),a("Time step",l,ae("span",{class:"slider-unit",text:"ms"}))}if(e.gravity){let l=e.gravity.map((c,h)=>ae("input",{type:"number",step:"any",value:String(+c.toPrecision(6)),"aria-label":`Gravity along ${"xyz"[h]} [m/s²]`,onchange:()=>{let u=l.map(f=>f.valueAsNumber);u.every(Number.isFinite)&&s.send({gravity:u})}}));a("Gravity",...l,ae("span",{class:"slider-unit",text:"m/s²"}))}r.keyframes?.length&&a("Keyframes",ae("span",{class:"buttons"},r.keyframes.map(l=>ae("button",{type:"button",text:l,title:`Reset to ${l}`,onclick:()=>s.reset(l)})))),this.simulation.replaceChildren(this.simulation.firstElementChild,...o)}update(e){let t=performance.now();if(clearTimeout(this.later),!this.root.hidden){if(t-this.followed<Bg){this.later=setTimeout(()=>this.update(this.viewer.moment),Bg);return}if(this.followed=t,this.effectsSection?.open&&this.sayEffects(e),this.joints?.open)for(let n of this.jointSliders)n.q<e.q.length&&n.follow(e.q[n.q]);this.actuators?.open&&this.actuatorSliders.forEach((n,s)=>s<e.u.length&&n.follow(e.u[s]))}}refresh(){let{viewer:e}=this;if(!this.switches)return;for(let[s]of zg)this.switches[s].checked=e.shown[s];this.switches.follow.checked=e.orbit.following,this.roles.value=e.roles;for(let s of e.layers.layers)this.layerBoxes?.has(s.name)&&(this.layerBoxes.get(s.name).checked=s.visible);let{body:t}=e.selected;this.chosen.value=t===null?"":String(t),this.trail.checked=t!==null&&e.overlays.trails.has(t),this.trail.disabled=t===null;let n=e.scene.masses.find(s=>s.body===t);this.facts.textContent=t===null?"Click on a body, or press ] to go through them.":n?`Mass ${ci(n.mass,4)} kg`:"",this.world&&(this.world.value=String(e.followed)),this.film.textContent=e.filming?"End video":"Video",this.film.dataset.on=!!e.filming}};var vh=class{constructor(e){this.recording=e,this.live=!1,this.time=e.first,this.speed=e.header.speed??1,this.playing=!1,this.moment=new Sr,this.settings={channels:e.channels,parameters:[],message:null,error:null},this.energyChannel=e.channels.findIndex(t=>/^energy\/total$/.test(t.name))}advance(e){if(!this.playing)return;let{first:t,last:n}=this.recording;this.time+=e*this.speed,this.time>n&&(this.time=n>t?t+(this.time-t)%(n-t):t)}take(){let e=this.recording.at(this.time,this.moment);return e.paused=!this.playing,e.edge=!1,e.rate=this.playing?this.speed:0,e.energy=this.energyChannel>=0?e.channels[this.energyChannel]:NaN,e}play(e){e&&this.time>=this.recording.last&&(this.time=this.recording.first),this.playing=e}step(e){this.playing=!1;let{times:t}=this.recording,n=this.recording.indexAt(this.time+1e-9)+e;this.time=t[Math.min(t.length-1,Math.max(0,n))]}seek(e){this.playing=!1,this.time=Math.min(this.recording.last,Math.max(this.recording.first,e))}reset(){this.time=this.recording.first,this.playing=!1}setSpeed(e){this.speed=e}send(){}dispose(){}};var Yw="uplot",$w="u-hz",Zw="u-vt",Jw="u-title",Kw="u-wrap",jw="u-under",Qw="u-over",e1="u-axis",Tr="u-off",t1="u-select",n1="u-cursor-x",i1="u-cursor-y",s1="u-cursor-pt",r1="u-legend",o1="u-live",a1="u-inline",l1="u-series",c1="u-marker",kg="u-label",h1="u-value",tl="width",nl="height";var Gg="bottom",No="left",jf="right",md="#000",Vg=md+"0",Qf="mousemove",Hg="mousedown",ed="mouseup",Wg="mouseenter",Xg="mouseleave",qg="dblclick",u1="resize",f1="scroll",Yg="change",Ah="dppxchange",gd="--",ko=typeof window<"u",rd=ko?document:null,Uo=ko?window:null,d1=ko?navigator:null,Nt,Mh;function od(){let i=devicePixelRatio;Nt!=i&&(Nt=i,Mh&&ld(Yg,Mh,od),Mh=matchMedia(`(min-resolution: ${Nt-.001}dppx) and (max-resolution: ${Nt+.001}dppx)`),Er(Yg,Mh,od),Uo.dispatchEvent(new CustomEvent(Ah)))}function ui(i,e){if(e!=null){let t=i.classList;!t.contains(e)&&t.add(e)}}function ad(i,e){let t=i.classList;t.contains(e)&&t.remove(e)}function Kt(i,e,t){i.style[e]=t+"px"}function zi(i,e,t,n){let s=rd.createElement(i);return e!=null&&ui(s,e),t?.insertBefore(s,n),s}function Ti(i,e){return zi("div",i,e)}var $g=new WeakMap;function ss(i,e,t,n,s){let r="translate("+e+"px,"+t+"px)",o=$g.get(i);r!=o&&(i.style.transform=r,$g.set(i,r),e<0||t<0||e>n||t>s?ui(i,Tr):ad(i,Tr))}var Zg=new WeakMap;function Jg(i,e,t){let n=e+t,s=Zg.get(i);n!=s&&(Zg.set(i,n),i.style.background=e,i.style.borderColor=t)}var Kg=new WeakMap;function jg(i,e,t,n){let s=e+""+t,r=Kg.get(i);s!=r&&(Kg.set(i,s),i.style.height=t+"px",i.style.width=e+"px",i.style.marginLeft=n?-e/2+"px":0,i.style.marginTop=n?-t/2+"px":0)}var xd={passive:!0},p1={...xd,capture:!0};function Er(i,e,t,n){e.addEventListener(i,t,n?p1:xd)}function ld(i,e,t,n){e.removeEventListener(i,t,xd)}ko&&od();function ki(i,e,t,n){let s;t=t||0,n=n||e.length-1;let r=n<=2147483647;for(;n-t>1;)s=r?t+n>>1:fi((t+n)/2),e[s]<i?t=s:n=s;return i-e[t]<=e[n]-i?t:n}function T0(i){return(t,n,s)=>{let r=-1,o=-1;for(let a=n;a<=s;a++)if(i(t[a])){r=a;break}for(let a=s;a>=n;a--)if(i(t[a])){o=a;break}return[r,o]}}var E0=i=>i!=null,R0=i=>i!=null&&i>0,Rh=T0(E0),m1=T0(R0);function g1(i,e,t,n=0,s=!1){let r=s?m1:Rh,o=s?R0:E0;[e,t]=r(i,e,t);let a=i[e],l=i[e];if(e>-1)if(n==1)a=i[e],l=i[t];else if(n==-1)a=i[t],l=i[e];else for(let c=e;c<=t;c++){let h=i[c];o(h)&&(h<a?a=h:h>l&&(l=h))}return[a??Wt,l??-Wt]}function Ch(i,e,t,n){let s=t0(i),r=t0(e);i==e&&(s==-1?(i*=t,e/=t):(i/=t,e*=t));let o=t==10?Rs:C0,a=s==1?fi:Ei,l=r==1?Ei:fi,c=a(o(Sn(i))),h=l(o(Sn(e))),u=Fo(t,c),f=Fo(t,h);return t==10&&(c<0&&(u=Xt(u,-c)),h<0&&(f=Xt(f,-h))),n||t==2?(i=u*s,e=f*r):(i=N0(i,u),e=Ih(e,f)),[i,e]}function _d(i,e,t,n){let s=Ch(i,e,t,n);return i==0&&(s[0]=0),e==0&&(s[1]=0),s}var yd=.1,Qg={mode:3,pad:yd},sl={pad:0,soft:null,mode:0},x1={min:sl,max:sl};function Th(i,e,t,n){return Ph(t)?e0(i,e,t):(sl.pad=t,sl.soft=n?0:null,sl.mode=n?3:0,e0(i,e,x1))}function It(i,e){return i??e}function _1(i,e,t){for(e=It(e,0),t=It(t,i.length-1);e<=t;){if(i[e]!=null)return!0;e++}return!1}function e0(i,e,t){let n=t.min,s=t.max,r=It(n.pad,0),o=It(s.pad,0),a=It(n.hard,-Wt),l=It(s.hard,Wt),c=It(n.soft,Wt),h=It(s.soft,-Wt),u=It(n.mode,0),f=It(s.mode,0),d=e-i,p=Rs(d),x=Yn(Sn(i),Sn(e)),m=Rs(x),g=Sn(m-p);(d<1e-24||g>10)&&(d=0,(i==0||e==0)&&(d=1e-24,u==2&&c!=Wt&&(r=0),f==2&&h!=-Wt&&(o=0)));let v=d||x||1e3,E=Rs(v),_=Fo(10,fi(E)),R=v*(d==0?i==0?.1:1:r),A=Xt(N0(i-R,_/10),24),y=i>=c&&(u==1||u==3&&A<=c||u==2&&A>=c)?c:Wt,b=Yn(a,A<y&&i>=y?y:Gi(y,A)),U=v*(d==0?e==0?.1:1:o),I=Xt(Ih(e+U,_/10),24),P=e<=h&&(f==1||f==3&&I>=h||f==2&&I<=h)?h:-Wt,z=Gi(l,I>P&&e<=P?P:Yn(P,I));return b==z&&b==0&&(z=100),[b,z]}var y1=new Intl.NumberFormat(ko?d1.language:"en-US"),vd=i=>y1.format(i),di=Math,wh=di.PI,Sn=di.abs,fi=di.floor,Mn=di.round,Ei=di.ceil,Gi=di.min,Yn=di.max,Fo=di.pow,t0=di.sign,Rs=di.log10,C0=di.log2,v1=(i,e=1)=>di.sinh(i)*e,td=(i,e=1)=>di.asinh(i/e),Wt=1/0;function n0(i){return(Rs((i^i>>31)-(i>>31))|0)+1}function cd(i,e,t){return Gi(Yn(i,e),t)}function I0(i){return typeof i=="function"}function Et(i){return I0(i)?i:()=>i}var M1=()=>{},P0=i=>i,L0=(i,e)=>e,S1=i=>null,i0=i=>!0,s0=(i,e)=>i==e,b1=/\.\d*?(?=9{6,}|0{6,})/gm,Rr=i=>{if(U0(i)||tr.has(i))return i;let e=`${i}`,t=e.match(b1);if(t==null)return i;let n=t[0].length-1;if(e.indexOf("e-")!=-1){let[s,r]=e.split("e");return+`${Rr(s)}e${r}`}return Xt(i,n)};function wr(i,e){return Rr(Xt(Rr(i/e))*e)}function Ih(i,e){return Rr(Ei(Rr(i/e))*e)}function N0(i,e){return Rr(fi(Rr(i/e))*e)}function Xt(i,e=0){if(U0(i))return i;let t=10**e,n=i*t*(1+Number.EPSILON);return Mn(n)/t}var tr=new Map;function D0(i){return((""+i).split(".")[1]||"").length}function ol(i,e,t,n){let s=[],r=n.map(D0);for(let o=e;o<t;o++){let a=Sn(o),l=Xt(Fo(i,o),a);for(let c=0;c<n.length;c++){let h=i==10?+`${n[c]}e${o}`:n[c]*l,u=(o>=0?0:a)+(o>=r[c]?0:r[c]),f=i==10?h:Xt(h,u);s.push(f),tr.set(f,u)}}return s}var rl={},Md=[],Oo=[null,null],er=Array.isArray,U0=Number.isInteger,w1=i=>i===void 0;function r0(i){return typeof i=="string"}function Ph(i){let e=!1;if(i!=null){let t=i.constructor;e=t==null||t==Object}return e}function A1(i){return i!=null&&typeof i=="object"}var T1=Object.getPrototypeOf(Uint8Array),F0="__proto__";function Bo(i,e=Ph){let t;if(er(i)){let n=i.find(s=>s!=null);if(er(n)||e(n)){t=Array(i.length);for(let s=0;s<i.length;s++)t[s]=Bo(i[s],e)}else t=i.slice()}else if(i instanceof T1)t=i.slice();else if(e(i)){t={};for(let n in i)n!=F0&&(t[n]=Bo(i[n],e))}else t=i;return t}function mn(i){let e=arguments;for(let t=1;t<e.length;t++){let n=e[t];for(let s in n)s!=F0&&(Ph(i[s])?mn(i[s],Bo(n[s])):i[s]=Bo(n[s]))}return i}var E1=0,R1=1,C1=2;function I1(i,e,t){for(let n=0,s,r=-1;n<e.length;n++){let o=e[n];if(o>r){for(s=o-1;s>=0&&i[s]==null;)i[s--]=null;for(s=o+1;s<t&&i[s]==null;)i[r=s++]=null}}}function P1(i,e){if(D1(i)){let o=i[0].slice();for(let a=1;a<i.length;a++)o.push(...i[a].slice(1));return U1(o[0])||(o=N1(o)),o}let t=new Set;for(let o=0;o<i.length;o++){let l=i[o][0],c=l.length;for(let h=0;h<c;h++)t.add(l[h])}let n=[Array.from(t).sort((o,a)=>o-a)],s=n[0].length,r=new Map;for(let o=0;o<s;o++)r.set(n[0][o],o);for(let o=0;o<i.length;o++){let a=i[o],l=a[0];for(let c=1;c<a.length;c++){let h=a[c],u=Array(s).fill(void 0),f=e?e[o][c]:R1,d=[];for(let p=0;p<h.length;p++){let x=h[p],m=r.get(l[p]);x===null?f!=E1&&(u[m]=x,f==C1&&d.push(m)):u[m]=x}I1(u,d,s),n.push(u)}}return n}var L1=typeof queueMicrotask>"u"?i=>Promise.resolve().then(i):queueMicrotask;function N1(i){let e=i[0],t=e.length,n=Array(t);for(let r=0;r<n.length;r++)n[r]=r;n.sort((r,o)=>e[r]-e[o]);let s=[];for(let r=0;r<i.length;r++){let o=i[r],a=Array(t);for(let l=0;l<t;l++)a[l]=o[n[l]];s.push(a)}return s}function D1(i){let e=i[0][0],t=e.length;for(let n=1;n<i.length;n++){let s=i[n][0];if(s.length!=t)return!1;if(s!=e){for(let r=0;r<t;r++)if(s[r]!=e[r])return!1}}return!0}function U1(i,e=100){let t=i.length;if(t<=1)return!0;let n=0,s=t-1;for(;n<=s&&i[n]==null;)n++;for(;s>=n&&i[s]==null;)s--;if(s<=n)return!0;let r=Yn(1,fi((s-n+1)/e));for(let o=i[n],a=n+r;a<=s;a+=r){let l=i[a];if(l!=null){if(l<=o)return!1;o=l}}return!0}var O0=["January","February","March","April","May","June","July","August","September","October","November","December"],B0=["Sunday","Monday","Tuesday","Wednesday","Thursday","Friday","Saturday"];function z0(i){return i.slice(0,3)}var F1=B0.map(z0),O1=O0.map(z0),B1={MMMM:O0,MMM:O1,WWWW:B0,WWW:F1};function el(i){return(i<10?"0":"")+i}function z1(i){return(i<10?"00":i<100?"0":"")+i}var k1={YYYY:i=>i.getFullYear(),YY:i=>(i.getFullYear()+"").slice(2),MMMM:(i,e)=>e.MMMM[i.getMonth()],MMM:(i,e)=>e.MMM[i.getMonth()],MM:i=>el(i.getMonth()+1),M:i=>i.getMonth()+1,DD:i=>el(i.getDate()),D:i=>i.getDate(),WWWW:(i,e)=>e.WWWW[i.getDay()],WWW:(i,e)=>e.WWW[i.getDay()],HH:i=>el(i.getHours()),H:i=>i.getHours(),h:i=>{let e=i.getHours();return e==0?12:e>12?e-12:e},AA:i=>i.getHours()>=12?"PM":"AM",aa:i=>i.getHours()>=12?"pm":"am",a:i=>i.getHours()>=12?"p":"a",mm:i=>el(i.getMinutes()),m:i=>i.getMinutes(),ss:i=>el(i.getSeconds()),s:i=>i.getSeconds(),fff:i=>z1(i.getMilliseconds())};function Sd(i,e){e=e||B1;let t=[],n=/\{([a-z]+)\}|[^{]+/gi,s;for(;s=n.exec(i);)t.push(s[0][0]=="{"?k1[s[1]]:s[0]);return r=>{let o="";for(let a=0;a<t.length;a++)o+=typeof t[a]=="string"?t[a]:t[a](r,e);return o}}var G1=new Intl.DateTimeFormat().resolvedOptions().timeZone;function V1(i,e){let t;return e=="UTC"||e=="Etc/UTC"?t=new Date(+i+i.getTimezoneOffset()*6e4):e==G1?t=i:(t=new Date(i.toLocaleString("en-US",{timeZone:e})),t.setMilliseconds(i.getMilliseconds())),t}var k0=i=>i%1==0,Eh=[1,2,2.5,5],H1=ol(10,-32,0,Eh),G0=ol(10,0,32,Eh),W1=G0.filter(k0),Ar=H1.concat(G0),bd=`
`,V0="{YYYY}",o0=bd+V0,H0="{M}/{D}",il=bd+H0,Sh=il+"/{YY}",W0="{aa}",X1="{h}:{mm}",Do=X1+W0,a0=bd+Do,l0=":{ss}",Bt=null;function X0(i){let e=i*1e3,t=e*60,n=t*60,s=n*24,r=s*30,o=s*365,l=(i==1?ol(10,0,3,Eh).filter(k0):ol(10,-3,0,Eh)).concat([e,e*5,e*10,e*15,e*30,t,t*5,t*10,t*15,t*30,n,n*2,n*3,n*4,n*6,n*8,n*12,s,s*2,s*3,s*4,s*5,s*6,s*7,s*8,s*9,s*10,s*15,r,r*2,r*3,r*4,r*6,o,o*2,o*5,o*10,o*25,o*50,o*100]),c=[[o,V0,Bt,Bt,Bt,Bt,Bt,Bt,1],[s*28,"{MMM}",o0,Bt,Bt,Bt,Bt,Bt,1],[s,H0,o0,Bt,Bt,Bt,Bt,Bt,1],[n,"{h}"+W0,Sh,Bt,il,Bt,Bt,Bt,1],[t,Do,Sh,Bt,il,Bt,Bt,Bt,1],[e,l0,Sh+" "+Do,Bt,il+" "+Do,Bt,a0,Bt,1],[i,l0+".{fff}",Sh+" "+Do,Bt,il+" "+Do,Bt,a0,Bt,1]];function h(u){return(f,d,p,x,m,g)=>{let v=[],E=m>=o,_=m>=r&&m<o,R=u(p),A=Xt(R*i,3),y=nd(R.getFullYear(),E?0:R.getMonth(),_||E?1:R.getDate()),b=Xt(y*i,3);if(_||E){let U=_?m/r:0,I=E?m/o:0,P=A==b?A:Xt(nd(y.getFullYear()+I,y.getMonth()+U,1)*i,3),z=new Date(Mn(P/i)),V=z.getFullYear(),N=z.getMonth();for(let B=0;P<=x;B++){let X=nd(V+I*B,N+U*B,1),G=X-u(Xt(X*i,3));P=Xt((+X+G)*i,3),P<=x&&v.push(P)}}else{let U=m>=s?s:m,I=fi(p)-fi(A),P=b+I+Ih(A-b,U);v.push(P);let z=u(P),V=z.getHours()+z.getMinutes()/t+z.getSeconds()/n,N=m/n,B=f.axes[d]._space,X=g/B;for(;P=Xt(P+m,i==1?0:3),!(P>x);)if(N>1){let G=fi(Xt(V+N,6))%24,K=u(P).getHours()-G;K>1&&(K=-1),P-=K*n,V=(V+N)%24;let ee=v[v.length-1];Xt((P-ee)/m,3)*X>=.7&&v.push(P)}else v.push(P)}return v}}return[l,c,h]}var[q1,Y1,$1]=X0(1),[Z1,J1,K1]=X0(.001);ol(2,-53,53,[1]);function c0(i,e){return i.map(t=>t.map((n,s)=>s==0||s==8||n==null?n:e(s==1||t[8]==0?n:t[1]+n)))}function h0(i,e){return(t,n,s,r,o)=>{let a=e.find(p=>o>=p[0])||e[e.length-1],l,c,h,u,f,d;return n.map(p=>{let x=i(p),m=x.getFullYear(),g=x.getMonth(),v=x.getDate(),E=x.getHours(),_=x.getMinutes(),R=x.getSeconds(),A=m!=l&&a[2]||g!=c&&a[3]||v!=h&&a[4]||E!=u&&a[5]||_!=f&&a[6]||R!=d&&a[7]||a[1];return l=m,c=g,h=v,u=E,f=_,d=R,A(x)})}}function j1(i,e){let t=Sd(e);return(n,s,r,o,a)=>s.map(l=>t(i(l)))}function nd(i,e,t){return new Date(i,e,t)}function u0(i,e){return e(i)}var Q1="{YYYY}-{MM}-{DD} {h}:{mm}{aa}";function f0(i,e){return(t,n,s,r)=>r==null?gd:e(i(n))}function eA(i,e){let t=i.series[e];return t.width?t.stroke(i,e):t.points.width?t.points.stroke(i,e):null}function tA(i,e){return i.series[e].fill(i,e)}var nA={show:!0,live:!0,isolate:!1,mount:M1,markers:{show:!0,width:2,stroke:eA,fill:tA,dash:"solid"},idx:null,idxs:null,values:[]};function iA(i,e){let t=i.cursor.points,n=Ti(),s=t.size(i,e);Kt(n,tl,s),Kt(n,nl,s);let r=s/-2;Kt(n,"marginLeft",r),Kt(n,"marginTop",r);let o=t.width(i,e,s);return o&&Kt(n,"borderWidth",o),n}function sA(i,e){let t=i.series[e].points;return t._fill||t._stroke}function rA(i,e){let t=i.series[e].points;return t._stroke||t._fill}function oA(i,e){return i.series[e].points.size}var id=[0,0];function aA(i,e,t){return id[0]=e,id[1]=t,id}function bh(i,e,t,n=!0){return s=>{s.button==0&&(!n||s.target==e)&&t(s)}}function sd(i,e,t,n=!0){return s=>{(!n||s.target==e)&&t(s)}}var lA={show:!0,x:!0,y:!0,lock:!1,move:aA,points:{one:!1,show:iA,size:oA,width:0,stroke:rA,fill:sA},bind:{mousedown:bh,mouseup:bh,click:bh,dblclick:bh,mousemove:sd,mouseleave:sd,mouseenter:sd},drag:{setScale:!0,x:!0,y:!1,dist:0,uni:null,click:(i,e)=>{e.stopPropagation(),e.stopImmediatePropagation()},_x:!1,_y:!1},focus:{dist:(i,e,t,n,s)=>n-s,prox:-1,bias:0},hover:{skip:[void 0],prox:null,bias:0},left:-10,top:-10,idx:null,dataIdx:null,idxs:null,event:null},q0={show:!0,stroke:"rgba(0,0,0,0.07)",width:2},wd=mn({},q0,{filter:L0}),Y0=mn({},wd,{size:10}),$0=mn({},q0,{show:!1}),Ad='12px system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, "Noto Sans", sans-serif, "Apple Color Emoji", "Segoe UI Emoji", "Segoe UI Symbol", "Noto Color Emoji"',Z0="bold "+Ad,J0=1.5,d0={show:!0,scale:"x",stroke:md,space:50,gap:5,alignTo:1,size:50,labelGap:0,labelSize:30,labelFont:Z0,side:2,grid:wd,ticks:Y0,border:$0,font:Ad,lineGap:J0,rotate:0},cA="Value",hA="Time",p0={show:!0,scale:"x",auto:!1,sorted:1,min:Wt,max:-Wt,idxs:[]};function uA(i,e,t,n,s){return e.map(r=>r==null?"":vd(r))}function fA(i,e,t,n,s,r,o){let a=[],l=tr.get(s)||0;t=o?t:Xt(Ih(t,s),l);for(let c=t;c<=n;c=Xt(c+s,l))a.push(Object.is(c,-0)?0:c);return a}function hd(i,e,t,n,s,r,o){let a=[],l=i.scales[i.axes[e].scale].log,c=l==10?Rs:C0,h=fi(c(t));s=Fo(l,h),l==10&&(s=Ar[ki(s,Ar)]);let u=t,f=s*l;l==10&&(f=Ar[ki(f,Ar)]);do a.push(u),u=u+s,l==10&&!tr.has(u)&&(u=Xt(u,tr.get(s))),u>=f&&(s=u,f=s*l,l==10&&(f=Ar[ki(f,Ar)]));while(u<=n);return a}function dA(i,e,t,n,s,r,o){let l=i.scales[i.axes[e].scale].asinh,c=n>l?hd(i,e,Yn(l,t),n,s):[l],h=n>=0&&t<=0?[0]:[];return(t<-l?hd(i,e,Yn(l,-n),-t,s):[l]).reverse().map(f=>-f).concat(h,c)}var K0=/./,pA=/[12357]/,mA=/[125]/,m0=/1/,ud=(i,e,t,n)=>i.map((s,r)=>e==4&&s==0||r%n==0&&t.test(s.toExponential()[s<0?1:0])?s:null);function gA(i,e,t,n,s){let r=i.axes[t],o=r.scale,a=i.scales[o],l=i.valToPos,c=r._space,h=l(10,o),u=l(9,o)-h>=c?K0:l(7,o)-h>=c?pA:l(5,o)-h>=c?mA:m0;if(u==m0){let f=Sn(l(1,o)-h);if(f<c)return ud(e.slice().reverse(),a.distr,u,Ei(c/f)).reverse()}return ud(e,a.distr,u,1)}function xA(i,e,t,n,s){let r=i.axes[t],o=r.scale,a=r._space,l=i.valToPos,c=Sn(l(1,o)-l(2,o));return c<a?ud(e.slice().reverse(),3,K0,Ei(a/c)).reverse():e}function _A(i,e,t,n){return n==null?gd:e==null?"":vd(e)}var g0={show:!0,scale:"y",stroke:md,space:30,gap:5,alignTo:1,size:50,labelGap:0,labelSize:30,labelFont:Z0,side:3,grid:wd,ticks:Y0,border:$0,font:Ad,lineGap:J0,rotate:0};function yA(i,e){let t=3+(i||1)*2;return Xt(t*e,3)}function vA(i,e){let{scale:t,idxs:n}=i.series[0],s=i._data[0],r=i.valToPos(s[n[0]],t,!0),o=i.valToPos(s[n[1]],t,!0),a=Sn(o-r),l=i.series[e],c=a/(l.points.space*Nt);return n[1]-n[0]<=c}var x0={scale:null,auto:!0,sorted:0,min:Wt,max:-Wt},j0=(i,e,t,n,s)=>s,_0={show:!0,auto:!0,sorted:0,gaps:j0,alpha:1,facets:[mn({},x0,{scale:"x"}),mn({},x0,{scale:"y"})]},y0={scale:"y",auto:!0,sorted:0,show:!0,spanGaps:!1,gaps:j0,alpha:1,points:{show:vA,filter:null},values:null,min:Wt,max:-Wt,idxs:[],path:null,clip:null};function MA(i,e,t,n,s){return t/10}var Q0={time:!0,auto:!0,distr:1,log:10,asinh:1,min:null,max:null,dir:1,ori:0},SA=mn({},Q0,{time:!1,ori:1}),v0={};function ex(i,e){let t=v0[i];return t||(t={key:i,plots:[],sub(n){t.plots.push(n)},unsub(n){t.plots=t.plots.filter(s=>s!=n)},pub(n,s,r,o,a,l,c){for(let h=0;h<t.plots.length;h++)t.plots[h]!=s&&t.plots[h].pub(n,s,r,o,a,l,c)}},i!=null&&(v0[i]=t)),t}var zo=1,fd=2;function Cr(i,e,t){let n=i.mode,s=i.series[e],r=n==2?i._data[e]:i._data,o=i.scales,a=i.bbox,l=r[0],c=n==2?r[1]:r[e],h=n==2?o[s.facets[0].scale]:o[i.series[0].scale],u=n==2?o[s.facets[1].scale]:o[s.scale],f=a.left,d=a.top,p=a.width,x=a.height,m=i.valToPosH,g=i.valToPosV;return h.ori==0?t(s,l,c,h,u,m,g,f,d,p,x,Nh,Go,Uh,nx,sx):t(s,l,c,h,u,g,m,d,f,x,p,Dh,Vo,Rd,ix,rx)}function Td(i,e){let t=0,n=0,s=It(i.bands,Md);for(let r=0;r<s.length;r++){let o=s[r];o.series[0]==e?t=o.dir:o.series[1]==e&&(o.dir==1?n|=1:n|=2)}return[t,n==1?-1:n==2?1:n==3?2:0]}function bA(i,e,t,n,s){let r=i.mode,o=i.series[e],a=r==2?o.facets[1].scale:o.scale,l=i.scales[a];return s==-1?l.min:s==1?l.max:l.distr==3?l.dir==1?l.min:l.max:0}function Cs(i,e,t,n,s,r){return Cr(i,e,(o,a,l,c,h,u,f,d,p,x,m)=>{let g=o.pxRound,v=c.dir*(c.ori==0?1:-1),E=c.ori==0?Go:Vo,_,R;v==1?(_=t,R=n):(_=n,R=t);let A=g(u(a[_],c,x,d)),y=g(f(l[_],h,m,p)),b=g(u(a[R],c,x,d)),U=g(f(r==1?h.max:h.min,h,m,p)),I=new Path2D(s);return E(I,b,U),E(I,A,U),E(I,A,y),I})}function Lh(i,e,t,n,s,r){let o=null;if(i.length>0){o=new Path2D;let a=e==0?Uh:Rd,l=t;for(let u=0;u<i.length;u++){let f=i[u];if(f[1]>f[0]){let d=f[0]-l;d>0&&a(o,l,n,d,n+r),l=f[1]}}let c=t+s-l,h=10;c>0&&a(o,l,n-h/2,c,n+r+h)}return o}function wA(i,e,t){let n=i[i.length-1];n&&n[0]==e?n[1]=t:i.push([e,t])}function Ed(i,e,t,n,s,r,o){let a=[],l=i.length;for(let c=s==1?t:n;c>=t&&c<=n;c+=s)if(e[c]===null){let u=c,f=c;if(s==1)for(;++c<=n&&e[c]===null;)f=c;else for(;--c>=t&&e[c]===null;)f=c;let d=r(i[u]),p=f==u?d:r(i[f]),x=u-s;d=o<=0&&x>=0&&x<l?r(i[x]):d;let g=f+s;p=o>=0&&g>=0&&g<l?r(i[g]):p,p>=d&&a.push([d,p])}return a}function M0(i){return i==0?P0:i==1?Mn:e=>wr(e,i)}function tx(i){let e=i==0?Nh:Dh,t=i==0?(s,r,o,a,l,c)=>{s.arcTo(r,o,a,l,c)}:(s,r,o,a,l,c)=>{s.arcTo(o,r,l,a,c)},n=i==0?(s,r,o,a,l)=>{s.rect(r,o,a,l)}:(s,r,o,a,l)=>{s.rect(o,r,l,a)};return(s,r,o,a,l,c=0,h=0)=>{c==0&&h==0?n(s,r,o,a,l):(c=Gi(c,a/2,l/2),h=Gi(h,a/2,l/2),e(s,r+c,o),t(s,r+a,o,r+a,o+l,c),t(s,r+a,o+l,r,o+l,h),t(s,r,o+l,r,o,h),t(s,r,o,r+a,o,c),s.closePath())}}var Nh=(i,e,t)=>{i.moveTo(e,t)},Dh=(i,e,t)=>{i.moveTo(t,e)},Go=(i,e,t)=>{i.lineTo(e,t)},Vo=(i,e,t)=>{i.lineTo(t,e)},Uh=tx(0),Rd=tx(1),nx=(i,e,t,n,s,r)=>{i.arc(e,t,n,s,r)},ix=(i,e,t,n,s,r)=>{i.arc(t,e,n,s,r)},sx=(i,e,t,n,s,r,o)=>{i.bezierCurveTo(e,t,n,s,r,o)},rx=(i,e,t,n,s,r,o)=>{i.bezierCurveTo(t,e,s,n,o,r)};function ox(i){return(e,t,n,s,r)=>Cr(e,t,(o,a,l,c,h,u,f,d,p,x,m)=>{let{pxRound:g,points:v}=o,E,_;c.ori==0?(E=Nh,_=nx):(E=Dh,_=ix);let R=Xt(v.width*Nt,3),A=(v.size-v.width)/2*Nt,y=Xt(A*2,3),b=new Path2D,U=new Path2D,{left:I,top:P,width:z,height:V}=e.bbox;Uh(U,I-y,P-y,z+y*2,V+y*2);let N=B=>{if(l[B]!=null){let X=g(u(a[B],c,x,d)),G=g(f(l[B],h,m,p));E(b,X+A,G),_(b,X,G,A,0,wh*2)}};if(r)r.forEach(N);else for(let B=n;B<=s;B++)N(B);return{stroke:R>0?b:null,fill:b,clip:U,flags:zo|fd}})}function ax(i){return(e,t,n,s,r,o)=>{n!=s&&(r!=n&&o!=n&&i(e,t,n),r!=s&&o!=s&&i(e,t,s),i(e,t,o))}}var AA=ax(Go),TA=ax(Vo);function lx(i){let e=It(i?.alignGaps,0);return(t,n,s,r)=>Cr(t,n,(o,a,l,c,h,u,f,d,p,x,m)=>{[s,r]=Rh(l,s,r);let g=o.pxRound,v=V=>g(u(V,c,x,d)),E=V=>g(f(V,h,m,p)),_,R;c.ori==0?(_=Go,R=AA):(_=Vo,R=TA);let A=c.dir*(c.ori==0?1:-1),y={stroke:new Path2D,fill:null,clip:null,band:null,gaps:null,flags:zo},b=y.stroke,U=!1;if(r-s>=x*4){let V=he=>t.posToVal(he,c.key,!0),N=null,B=null,X,G,le,Y=v(a[A==1?s:r]),K=v(a[s]),ee=v(a[r]),fe=V(A==1?K+1:ee-1);for(let he=A==1?s:r;he>=s&&he<=r;he+=A){let j=a[he],_e=(A==1?j<fe:j>fe)?Y:v(j),Le=l[he];_e==Y?Le!=null?(G=Le,N==null?(_(b,_e,E(G)),X=N=B=G):G<N?N=G:G>B&&(B=G)):Le===null&&(U=!0):(N!=null&&R(b,Y,E(N),E(B),E(X),E(G)),Le!=null?(G=Le,_(b,_e,E(G)),N=B=X=G):(N=B=null,Le===null&&(U=!0)),Y=_e,fe=V(Y+A))}N!=null&&N!=B&&le!=Y&&R(b,Y,E(N),E(B),E(X),E(G))}else for(let V=A==1?s:r;V>=s&&V<=r;V+=A){let N=l[V];N===null?U=!0:N!=null&&_(b,v(a[V]),E(N))}let[P,z]=Td(t,n);if(o.fill!=null||P!=0){let V=y.fill=new Path2D(b),N=o.fillTo(t,n,o.min,o.max,P),B=E(N),X=v(a[s]),G=v(a[r]);A==-1&&([G,X]=[X,G]),_(V,G,B),_(V,X,B)}if(!o.spanGaps){let V=[];U&&V.push(...Ed(a,l,s,r,A,v,e)),y.gaps=V=o.gaps(t,n,s,r,V),y.clip=Lh(V,c.ori,d,p,x,m)}return z!=0&&(y.band=z==2?[Cs(t,n,s,r,b,-1),Cs(t,n,s,r,b,1)]:Cs(t,n,s,r,b,z)),y})}function EA(i){let e=It(i.align,1),t=It(i.ascDesc,!1),n=It(i.alignGaps,0),s=It(i.extend,!1);return(r,o,a,l)=>Cr(r,o,(c,h,u,f,d,p,x,m,g,v,E)=>{[a,l]=Rh(u,a,l);let _=c.pxRound,{left:R,width:A}=r.bbox,y=K=>_(p(K,f,v,m)),b=K=>_(x(K,d,E,g)),U=f.ori==0?Go:Vo,I={stroke:new Path2D,fill:null,clip:null,band:null,gaps:null,flags:zo},P=I.stroke,z=f.dir*(f.ori==0?1:-1),V=b(u[z==1?a:l]),N=y(h[z==1?a:l]),B=N,X=N;s&&e==-1&&(X=R,U(P,X,V)),U(P,N,V);for(let K=z==1?a:l;K>=a&&K<=l;K+=z){let ee=u[K];if(ee==null)continue;let fe=y(h[K]),he=b(ee);e==1?U(P,fe,V):U(P,B,he),U(P,fe,he),V=he,B=fe}let G=B;s&&e==1&&(G=R+A,U(P,G,V));let[le,Y]=Td(r,o);if(c.fill!=null||le!=0){let K=I.fill=new Path2D(P),ee=c.fillTo(r,o,c.min,c.max,le),fe=b(ee);U(K,G,fe),U(K,X,fe)}if(!c.spanGaps){let K=[];K.push(...Ed(h,u,a,l,z,y,n));let ee=c.width*Nt/2,fe=t||e==1?ee:-ee,he=t||e==-1?-ee:ee;K.forEach(j=>{j[0]+=fe,j[1]+=he}),I.gaps=K=c.gaps(r,o,a,l,K),I.clip=Lh(K,f.ori,m,g,v,E)}return Y!=0&&(I.band=Y==2?[Cs(r,o,a,l,P,-1),Cs(r,o,a,l,P,1)]:Cs(r,o,a,l,P,Y)),I})}function S0(i,e,t,n,s,r,o=Wt){if(i.length>1){let a=null;for(let l=0,c=1/0;l<i.length;l++)if(e[l]!==void 0){if(a!=null){let h=Sn(i[l]-i[a]);h<c&&(c=h,o=Sn(t(i[l],n,s,r)-t(i[a],n,s,r)))}a=l}}return o}function RA(i){i=i||rl;let e=It(i.size,[.6,Wt,1]),t=i.align||0,n=i.gap||0,s=i.radius;s=s==null?[0,0]:typeof s=="number"?[s,0]:s;let r=Et(s),o=1-e[0],a=It(e[1],Wt),l=It(e[2],1),c=It(i.disp,rl),h=It(i.each,d=>{}),{fill:u,stroke:f}=c;return(d,p,x,m)=>Cr(d,p,(g,v,E,_,R,A,y,b,U,I,P)=>{let z=g.pxRound,V=t,N=n*Nt,B=a*Nt,X=l*Nt,G,le;_.ori==0?[G,le]=r(d,p):[le,G]=r(d,p);let Y=_.dir*(_.ori==0?1:-1),K=_.ori==0?Uh:Rd,ee=_.ori==0?h:(Me,qe,ht,we,Dt,Ze,et)=>{h(Me,qe,ht,Dt,we,et,Ze)},fe=It(d.bands,Md).find(Me=>Me.series[0]==p),he=fe!=null?fe.dir:0,j=g.fillTo(d,p,g.min,g.max,he),ge=z(y(j,R,P,U)),_e,Le,be,He=I,st=z(g.width*Nt),Ke=!1,rt=null,it=null,re=null,ye=null;u!=null&&(st==0||f!=null)&&(Ke=!0,rt=u.values(d,p,x,m),it=new Map,new Set(rt).forEach(Me=>{Me!=null&&it.set(Me,new Path2D)}),st>0&&(re=f.values(d,p,x,m),ye=new Map,new Set(re).forEach(Me=>{Me!=null&&ye.set(Me,new Path2D)})));let{x0:xe,size:Be}=c;if(xe!=null&&Be!=null){V=1,v=xe.values(d,p,x,m),xe.unit==2&&(v=v.map(ht=>d.posToVal(b+ht*I,_.key,!0)));let Me=Be.values(d,p,x,m);Be.unit==2?Le=Me[0]*I:Le=A(Me[0],_,I,b)-A(0,_,I,b),He=S0(v,E,A,_,I,b,He),be=He-Le+N}else He=S0(v,E,A,_,I,b,He),be=He*o+N,Le=He-be;be<1&&(be=0),st>=Le/2&&(st=0),be<5&&(z=P0);let Ne=be>0,nt=He-be-(Ne?st:0);Le=z(cd(nt,X,B)),_e=(V==0?Le/2:V==Y?0:Le)-V*Y*((V==0?N/2:0)+(Ne?st/2:0));let ze={stroke:null,fill:null,clip:null,band:null,gaps:null,flags:0},mt=Ke?null:new Path2D,ft=null;if(fe!=null)ft=d.data[fe.series[1]];else{let{y0:Me,y1:qe}=c;Me!=null&&qe!=null&&(E=qe.values(d,p,x,m),ft=Me.values(d,p,x,m))}let xt=G*Le,F=le*Le;for(let Me=Y==1?x:m;Me>=x&&Me<=m;Me+=Y){let qe=E[Me];if(qe==null)continue;if(ft!=null){let q=ft[Me]??0;if(qe-q==0)continue;ge=y(q,R,P,U)}let ht=_.distr!=2||c!=null?v[Me]:Me,we=A(ht,_,I,b),Dt=y(It(qe,j),R,P,U),Ze=z(we-_e),et=z(Yn(Dt,ge)),C=z(Gi(Dt,ge)),S=et-C;if(qe!=null){let q=qe<0?F:xt,de=qe<0?xt:F;Ke?(st>0&&re[Me]!=null&&K(ye.get(re[Me]),Ze,C+fi(st/2),Le,Yn(0,S-st),q,de),rt[Me]!=null&&K(it.get(rt[Me]),Ze,C+fi(st/2),Le,Yn(0,S-st),q,de)):K(mt,Ze,C+fi(st/2),Le,Yn(0,S-st),q,de),ee(d,p,Me,Ze-st/2,C,Le+st,S)}}return st>0?ze.stroke=Ke?ye:mt:Ke||(ze._fill=g.width==0?g._fill:g._stroke??g._fill,ze.width=0),ze.fill=Ke?it:mt,ze})}function CA(i,e){let t=It(e?.alignGaps,0);return(n,s,r,o)=>Cr(n,s,(a,l,c,h,u,f,d,p,x,m,g)=>{[r,o]=Rh(c,r,o);let v=a.pxRound,E=G=>v(f(G,h,m,p)),_=G=>v(d(G,u,g,x)),R,A,y;h.ori==0?(R=Nh,y=Go,A=sx):(R=Dh,y=Vo,A=rx);let b=h.dir*(h.ori==0?1:-1),U=E(l[b==1?r:o]),I=U,P=[],z=[];for(let G=b==1?r:o;G>=r&&G<=o;G+=b)if(c[G]!=null){let Y=l[G],K=E(Y);P.push(I=K),z.push(_(c[G]))}let V={stroke:i(P,z,R,y,A,v),fill:null,clip:null,band:null,gaps:null,flags:zo},N=V.stroke,[B,X]=Td(n,s);if(a.fill!=null||B!=0){let G=V.fill=new Path2D(N),le=a.fillTo(n,s,a.min,a.max,B),Y=_(le);y(G,I,Y),y(G,U,Y)}if(!a.spanGaps){let G=[];G.push(...Ed(l,c,r,o,b,E,t)),V.gaps=G=a.gaps(n,s,r,o,G),V.clip=Lh(G,h.ori,p,x,m,g)}return X!=0&&(V.band=X==2?[Cs(n,s,r,o,N,-1),Cs(n,s,r,o,N,1)]:Cs(n,s,r,o,N,X)),V})}function IA(i){return CA(PA,i)}function PA(i,e,t,n,s,r){let o=i.length;if(o<2)return null;let a=new Path2D;if(t(a,i[0],e[0]),o==2)n(a,i[1],e[1]);else{let l=Array(o),c=Array(o-1),h=Array(o-1),u=Array(o-1);for(let f=0;f<o-1;f++)h[f]=e[f+1]-e[f],u[f]=i[f+1]-i[f],c[f]=h[f]/u[f];l[0]=c[0];for(let f=1;f<o-1;f++)c[f]===0||c[f-1]===0||c[f-1]>0!=c[f]>0?l[f]=0:(l[f]=3*(u[f-1]+u[f])/((2*u[f]+u[f-1])/c[f-1]+(u[f]+2*u[f-1])/c[f]),isFinite(l[f])||(l[f]=0));l[o-1]=c[o-2];for(let f=0;f<o-1;f++)s(a,i[f]+u[f]/3,e[f]+l[f]*u[f]/3,i[f+1]-u[f]/3,e[f+1]-l[f+1]*u[f]/3,i[f+1],e[f+1])}return a}var dd=new Set;function b0(){for(let i of dd)i.syncRect(!0)}ko&&(Er(u1,Uo,b0),Er(f1,Uo,b0,!0),Er(Ah,Uo,()=>{Nn.pxRatio=Nt}));var LA=lx(),NA=ox();function w0(i,e,t,n){return(n?[i[0],i[1]].concat(i.slice(2)):[i[0]].concat(i.slice(1))).map((r,o)=>pd(r,o,e,t))}function DA(i,e){return i.map((t,n)=>n==0?{}:mn({},e,t))}function pd(i,e,t,n){return mn({},e==0?t:n,i)}function cx(i,e,t){return e==null?Oo:[e,t]}var UA=cx;function FA(i,e,t){return e==null?Oo:Th(e,t,yd,!0)}function hx(i,e,t,n){return e==null?Oo:Ch(e,t,i.scales[n].log,!1)}var OA=hx;function ux(i,e,t,n){return e==null?Oo:_d(e,t,i.scales[n].log,!1)}var BA=ux;function zA(i,e,t,n,s){let r=Yn(n0(i),n0(e)),o=e-i,a=ki(s/n*o,t);do{let l=t[a],c=n*l/o;if(c>=s&&r+(l<5?tr.get(l):0)<=17)return[l,c]}while(++a<t.length);return[0,0]}function A0(i){let e,t;return i=i.replace(/(\d+)px/,(n,s)=>(e=Mn((t=+s)*Nt))+"px"),[i,e,t]}function kA(i){i.show&&[i.font,i.labelFont].forEach(e=>{let t=Xt(e[2]*Nt,1);e[0]=e[0].replace(/[0-9.]+px/,t+"px"),e[1]=t})}function Nn(i,e,t){let n={mode:It(i.mode,1)},s=n.mode;function r(M,w,L,D){let W=w.valToPct(M);return D+L*(w.dir==-1?1-W:W)}function o(M,w,L,D){let W=w.valToPct(M);return D+L*(w.dir==-1?W:1-W)}function a(M,w,L,D){return w.ori==0?r(M,w,L,D):o(M,w,L,D)}n.valToPosH=r,n.valToPosV=o;let l=!1;n.status=0;let c=n.root=Ti(Yw);if(i.id!=null&&(c.id=i.id),ui(c,i.class),i.title){let M=Ti(Jw,c);M.textContent=i.title}let h=zi("canvas"),u=n.ctx=h.getContext("2d"),f=Ti(Kw,c);Er("click",f,M=>{M.target===p&&(Yt!=Or||jt!=Br)&&Cn.click(n,M)},!0);let d=n.under=Ti(jw,f);f.appendChild(h);let p=n.over=Ti(Qw,f);i=Bo(i);let x=+It(i.pxAlign,1),m=M0(x);(i.plugins||[]).forEach(M=>{M.opts&&(i=M.opts(n,i)||i)});let g=i.ms||.001,v=n.series=s==1?w0(i.series||[],p0,y0,!1):DA(i.series||[null],_0),E=n.axes=w0(i.axes||[],d0,g0,!0),_=n.scales={},R=n.bands=i.bands||[];R.forEach(M=>{M.fill=Et(M.fill||null),M.dir=It(M.dir,-1)});let A=s==2?v[1].facets[0].scale:v[0].scale,y={axes:ls,series:St},b=(i.drawOrder||["axes","series"]).map(M=>y[M]);function U(M){let w=M.distr==3?L=>Rs(L>0?L:M.clamp(n,L,M.min,M.max,M.key)):M.distr==4?L=>td(L,M.asinh):M.distr==100?L=>M.fwd(L):L=>L;return L=>{let D=w(L),{_min:W,_max:J}=M,ce=J-W;return(D-W)/ce}}function I(M){let w=_[M];if(w==null){let L=(i.scales||rl)[M]||rl;if(L.from!=null){I(L.from);let D=mn({},_[L.from],L,{key:M});D.valToPct=U(D),_[M]=D}else{w=_[M]=mn({},M==A?Q0:SA,L),w.key=M;let D=w.time,W=w.range,J=er(W);if((M!=A||s==2&&!D)&&(J&&(W[0]==null||W[1]==null)&&(W={min:W[0]==null?Qg:{mode:1,hard:W[0],soft:W[0]},max:W[1]==null?Qg:{mode:1,hard:W[1],soft:W[1]}},J=!1),!J&&Ph(W))){let ce=W;W=(pe,Te,ke)=>Te==null?Oo:Th(Te,ke,ce)}w.range=Et(W||(D?UA:M==A?w.distr==3?OA:w.distr==4?BA:cx:w.distr==3?hx:w.distr==4?ux:FA)),w.auto=Et(J?!1:w.auto),w.clamp=Et(w.clamp||MA),w._min=w._max=null,w.valToPct=U(w)}}}I("x"),I("y"),s==1&&v.forEach(M=>{I(M.scale)}),E.forEach(M=>{I(M.scale)});for(let M in i.scales)I(M);let P=_[A],z=P.distr,V,N;P.ori==0?(ui(c,$w),V=r,N=o):(ui(c,Zw),V=o,N=r);let B={};for(let M in _){let w=_[M];(w.min!=null||w.max!=null)&&(B[M]={min:w.min,max:w.max},w.min=w.max=null)}let X=i.tzDate||(M=>new Date(Mn(M/g))),G=i.fmtDate||Sd,le=g==1?$1(X):K1(X),Y=h0(X,c0(g==1?Y1:J1,G)),K=f0(X,u0(Q1,G)),ee=[],fe=n.legend=mn({},nA,i.legend),he=n.cursor=mn({},lA,{drag:{y:s==2}},i.cursor),j=fe.show,ge=he.show,_e=fe.markers;fe.idxs=ee,_e.width=Et(_e.width),_e.dash=Et(_e.dash),_e.stroke=Et(_e.stroke),_e.fill=Et(_e.fill);let Le,be,He,st=[],Ke=[],rt,it=!1,re={};if(fe.live){let M=v[1]?v[1].values:null;it=M!=null,rt=it?M(n,1,0):{_:0};for(let w in rt)re[w]=gd}if(j)if(Le=zi("table",r1,c),He=zi("tbody",null,Le),fe.mount(n,Le),it){be=zi("thead",null,Le,He);let M=zi("tr",null,be);zi("th",null,M);for(var ye in rt)zi("th",kg,M).textContent=ye}else ui(Le,a1),fe.live&&ui(Le,o1);let xe={show:!0},Be={show:!1};function Ne(M,w){if(w==0&&(it||!fe.live||s==2))return Oo;let L=[],D=zi("tr",l1,He,He.childNodes[w]);ui(D,M.class),M.show||ui(D,Tr);let W=zi("th",null,D);if(_e.show){let pe=Ti(c1,W);if(w>0){let Te=_e.width(n,w);Te&&(pe.style.border=Te+"px "+_e.dash(n,w)+" "+_e.stroke(n,w)),pe.style.background=_e.fill(n,w)}}let J=Ti(kg,W);M.label instanceof HTMLElement?J.appendChild(M.label):J.textContent=M.label,w>0&&(_e.show||(J.style.color=M.width>0?_e.stroke(n,w):_e.fill(n,w)),ze("click",W,pe=>{if(he._lock)return;lt(pe);let Te=v.indexOf(M);if((pe.ctrlKey||pe.metaKey)!=fe.isolate){let ke=v.some((Ge,Xe)=>Xe>0&&Xe!=Te&&Ge.show);v.forEach((Ge,Xe)=>{Xe>0&&Xi(Xe,ke?Xe==Te?xe:Be:xe,!0,fn.setSeries)})}else Xi(Te,{show:!M.show},!0,fn.setSeries)},!1),ct&&ze(Wg,W,pe=>{he._lock||(lt(pe),Xi(v.indexOf(M),kr,!0,fn.setSeries))},!1));for(var ce in rt){let pe=zi("td",h1,D);pe.textContent="--",L.push(pe)}return[D,L]}let nt=new Map;function ze(M,w,L,D=!0){let W=nt.get(w)||{},J=he.bind[M](n,w,L,D);J&&(Er(M,w,W[M]=J),nt.set(w,W))}function mt(M,w,L){let D=nt.get(w)||{};for(let W in D)(M==null||W==M)&&(ld(W,w,D[W]),delete D[W]);M==null&&nt.delete(w)}let ft=0,xt=0,F=0,Me=0,qe=0,ht=0,we=qe,Dt=ht,Ze=F,et=Me,C=0,S=0,q=0,de=0;n.bbox={};let oe=!1,Se=!1,Ae=!1,te=!1,ie=!1,me=!1;function O(M,w,L){(L||M!=n.width||w!=n.height)&&se(M,w),_t(!1),Ae=!0,Se=!0,Dn()}function se(M,w){n.width=ft=F=M,n.height=xt=Me=w,qe=ht=0,Re(),je();let L=n.bbox;C=L.left=wr(qe*Nt,.5),S=L.top=wr(ht*Nt,.5),q=L.width=wr(F*Nt,.5),de=L.height=wr(Me*Nt,.5)}let ne=3;function Ce(){let M=!1,w=0;for(;!M;){w++;let L=Dr(w),D=Wi(w);M=w==ne||L&&D,M||(se(n.width,n.height),Se=!0)}}function ve({width:M,height:w}){O(M,w)}n.setSize=ve;function Re(){let M=!1,w=!1,L=!1,D=!1;E.forEach((W,J)=>{if(W.show&&W._show){let{side:ce,_size:pe}=W,Te=ce%2,ke=W.label!=null?W.labelSize:0,Ge=pe+ke;Ge>0&&(Te?(F-=Ge,ce==3?(qe+=Ge,D=!0):L=!0):(Me-=Ge,ce==0?(ht+=Ge,M=!0):w=!0))}}),Vi[0]=M,Vi[1]=L,Vi[2]=w,Vi[3]=D,F-=Ci[1]+Ci[3],qe+=Ci[3],Me-=Ci[2]+Ci[0],ht+=Ci[0]}function je(){let M=qe+F,w=ht+Me,L=qe,D=ht;function W(J,ce){switch(J){case 1:return M+=ce,M-ce;case 2:return w+=ce,w-ce;case 3:return L-=ce,L+ce;case 0:return D-=ce,D+ce}}E.forEach((J,ce)=>{if(J.show&&J._show){let pe=J.side;J._pos=W(pe,J._size),J.label!=null&&(J._lpos=W(pe,J.labelSize))}})}if(he.dataIdx==null){let M=he.hover,w=M.skip=new Set(M.skip??[]);w.add(void 0);let L=M.prox=Et(M.prox),D=M.bias??=0;he.dataIdx=(W,J,ce,pe)=>{if(J==0)return ce;let Te=ce,ke=L(W,J,ce,pe)??Wt,Ge=ke>=0&&ke<Wt,Xe=P.ori==0?F:Me,pt=he.left,Pt=e[0],Ct=e[J];if(w.has(Ct[ce])){Te=null;let bt=null,ot=null,Qe;if(D==0||D==-1)for(Qe=ce;bt==null&&Qe-- >0;)w.has(Ct[Qe])||(bt=Qe);if(D==0||D==1)for(Qe=ce;ot==null&&Qe++<Ct.length;)w.has(Ct[Qe])||(ot=Qe);if(bt!=null||ot!=null)if(Ge){let Zt=bt==null?-1/0:V(Pt[bt],P,Xe,0),rn=ot==null?1/0:V(Pt[ot],P,Xe,0),Tn=pt-Zt,Vt=rn-pt;Tn<=Vt?Tn<=ke&&(Te=bt):Vt<=ke&&(Te=ot)}else Te=ot==null?bt:bt==null?ot:ce-bt<=ot-ce?bt:ot}else Ge&&Sn(pt-V(Pt[ce],P,Xe,0))>ke&&(Te=null);return Te}}let lt=M=>{he.event=M};he.idxs=ee,he._lock=!1;let ue=he.points;ue.show=Et(ue.show),ue.size=Et(ue.size),ue.stroke=Et(ue.stroke),ue.width=Et(ue.width),ue.fill=Et(ue.fill);let Ye=n.focus=mn({},i.focus||{alpha:.3},he.focus),ct=Ye.prox>=0,De=ct&&ue.one,gt=[],qt=[],zn=[];function Ho(M,w){let L=ue.show(n,w);if(L instanceof HTMLElement)return ui(L,s1),ui(L,M.class),ss(L,-10,-10,F,Me),p.insertBefore(L,gt[w]),L}function Pr(M,w){if(s==1||w>0){let L=s==1&&_[M.scale].time,D=M.value;M.value=L?r0(D)?f0(X,u0(D,G)):D||K:D||_A,M.label=M.label||(L?hA:cA)}if(De||w>0){M.width=M.width==null?1:M.width,M.paths=M.paths||LA||S1,M.fillTo=Et(M.fillTo||bA),M.pxAlign=+It(M.pxAlign,x),M.pxRound=M0(M.pxAlign),M.stroke=Et(M.stroke||null),M.fill=Et(M.fill||null),M._stroke=M._fill=M._paths=M._focus=null;let L=yA(Yn(1,M.width),1),D=M.points=mn({},{size:L,width:Yn(1,L*.2),stroke:M.stroke,space:L*2,paths:NA,_stroke:null,_fill:null},M.points);D.show=Et(D.show),D.filter=Et(D.filter),D.fill=Et(D.fill),D.stroke=Et(D.stroke),D.paths=Et(D.paths),D.pxAlign=M.pxAlign}if(j){let L=Ne(M,w);st.splice(w,0,L[0]),Ke.splice(w,0,L[1]),fe.values.push(null)}if(ge){ee.splice(w,0,null);let L=null;De?w==0&&(L=Ho(M,w)):w>0&&(L=Ho(M,w)),gt.splice(w,0,L),qt.splice(w,0,0),zn.splice(w,0,0)}An("addSeries",w)}function Xh(M,w){w=w??v.length,M=s==1?pd(M,w,p0,y0):pd(M,w,{},_0),v.splice(w,0,M),Pr(v[w],w)}n.addSeries=Xh;function cl(M){if(v.splice(M,1),j){fe.values.splice(M,1),Ke.splice(M,1);let w=st.splice(M,1)[0];mt(null,w.firstChild),w.remove()}ge&&(ee.splice(M,1),gt.splice(M,1)[0].remove(),qt.splice(M,1),zn.splice(M,1)),An("delSeries",M)}n.delSeries=cl;let Vi=[!1,!1,!1,!1];function rs(M,w){if(M._show=M.show,M.show){let L=M.side%2,D=_[M.scale];D==null&&(M.scale=L?v[1].scale:A,D=_[M.scale]);let W=D.time;M.size=Et(M.size),M.space=Et(M.space),M.rotate=Et(M.rotate),er(M.incrs)&&M.incrs.forEach(ce=>{!tr.has(ce)&&tr.set(ce,D0(ce))}),M.incrs=Et(M.incrs||(D.distr==2?W1:W?g==1?q1:Z1:Ar)),M.splits=Et(M.splits||(W&&D.distr==1?le:D.distr==3?hd:D.distr==4?dA:fA)),M.stroke=Et(M.stroke),M.grid.stroke=Et(M.grid.stroke),M.ticks.stroke=Et(M.ticks.stroke),M.border.stroke=Et(M.border.stroke);let J=M.values;M.values=er(J)&&!er(J[0])?Et(J):W?er(J)?h0(X,c0(J,G)):r0(J)?j1(X,J):J||Y:J||uA,M.filter=Et(M.filter||(D.distr>=3&&D.log==10?gA:D.distr==3&&D.log==2?xA:L0)),M.font=A0(M.font),M.labelFont=A0(M.labelFont),M._size=M.size(n,null,w,0),M._space=M._rotate=M._incrs=M._found=M._splits=M._values=null,M._size>0&&(Vi[w]=!0,M._el=Ti(e1,f))}}function os(M,w,L,D){let[W,J,ce,pe]=L,Te=w%2,ke=0;return Te==0&&(pe||J)&&(ke=w==0&&!W||w==2&&!ce?Mn(d0.size/3):0),Te==1&&(W||ce)&&(ke=w==1&&!J||w==3&&!pe?Mn(g0.size/2):0),ke}let Wo=n.padding=(i.padding||[os,os,os,os]).map(M=>Et(It(M,os))),Ci=n._padding=Wo.map((M,w)=>M(n,w,Vi,0)),nn,an=null,ln=null,Hi=s==1?v[0].idxs:null,Kn=null,Is=!1;function Xo(M,w){if(e=M??[],n.data=n._data=e,s==2){nn=0;for(let L=1;L<v.length;L++)nn+=e[L][0].length}else{e.length==0&&(n.data=n._data=e=[[]]),Kn=e[0],nn=Kn.length;let L=e;if(z==2){L=e.slice();let D=L[0]=Array(nn);for(let W=0;W<nn;W++)D[W]=W}n._data=e=L}if(_t(!0),An("setData"),z==2&&(Ae=!0),w!==!1){let L=P;L.auto(n,Is)?qo():Ns(A,L.min,L.max),te=te||he.left>=0,me=!0,Dn()}}n.setData=Xo;function qo(){Is=!0;let M,w;s==1&&(nn>0?(an=Hi[0]=0,ln=Hi[1]=nn-1,M=e[0][an],w=e[0][ln],z==2?(M=an,w=ln):M==w&&(z==3?[M,w]=Ch(M,M,P.log,!1):z==4?[M,w]=_d(M,M,P.log,!1):P.time?w=M+Mn(86400/g):[M,w]=Th(M,w,yd,!0))):(an=Hi[0]=M=null,ln=Hi[1]=w=null)),Ns(A,M,w)}let Lr,Ps,Nr,T,H,Q,$,Z,Ie,Ue;function Pe(M,w,L,D,W,J){M??=Vg,L??=Md,D??="butt",W??=Vg,J??="round",M!=Lr&&(u.strokeStyle=Lr=M),W!=Ps&&(u.fillStyle=Ps=W),w!=Nr&&(u.lineWidth=Nr=w),J!=H&&(u.lineJoin=H=J),D!=Q&&(u.lineCap=Q=D),L!=T&&u.setLineDash(T=L)}function Fe(M,w,L,D){w!=Ps&&(u.fillStyle=Ps=w),M!=$&&(u.font=$=M),L!=Z&&(u.textAlign=Z=L),D!=Ie&&(u.textBaseline=Ie=D)}function Je(M,w,L,D,W=0){if(D.length>0&&M.auto(n,Is)&&(w==null||w.min==null)){let J=It(an,0),ce=It(ln,D.length-1),pe=L.min==null?g1(D,J,ce,W,M.distr==3):[L.min,L.max];M.min=Gi(M.min,L.min=pe[0]),M.max=Yn(M.max,L.max=pe[1])}}let ut={min:null,max:null};function Mt(){for(let D in _){let W=_[D];B[D]==null&&(W.min==null||B[A]!=null&&W.auto(n,Is))&&(B[D]=ut)}for(let D in _){let W=_[D];B[D]==null&&W.from!=null&&B[W.from]!=null&&(B[D]=ut)}B[A]!=null&&_t(!0);let M={};for(let D in B){let W=B[D];if(W!=null){let J=M[D]=Bo(_[D],A1);if(W.min!=null)mn(J,W);else if(D!=A||s==2)if(nn==0&&J.from==null){let ce=J.range(n,null,null,D);J.min=ce[0],J.max=ce[1]}else J.min=Wt,J.max=-Wt}}if(nn>0){v.forEach((D,W)=>{if(s==1){let J=D.scale,ce=B[J];if(ce==null)return;let pe=M[J];if(W==0){let Te=pe.range(n,pe.min,pe.max,J);pe.min=Te[0],pe.max=Te[1],an=ki(pe.min,e[0]),ln=ki(pe.max,e[0]),ln-an>1&&(e[0][an]<pe.min&&an++,e[0][ln]>pe.max&&ln--),D.min=Kn[an],D.max=Kn[ln]}else D.show&&D.auto&&Je(pe,ce,D,e[W],D.sorted);D.idxs[0]=an,D.idxs[1]=ln}else if(W>0&&D.show&&D.auto){let[J,ce]=D.facets,pe=J.scale,Te=ce.scale,[ke,Ge]=e[W],Xe=M[pe],pt=M[Te];Xe!=null&&Je(Xe,B[pe],J,ke,J.sorted),pt!=null&&Je(pt,B[Te],ce,Ge,ce.sorted),D.min=ce.min,D.max=ce.max}});for(let D in M){let W=M[D],J=B[D];if(W.from==null&&(J==null||J.min==null)){let ce=W.range(n,W.min==Wt?null:W.min,W.max==-Wt?null:W.max,D);W.min=ce[0],W.max=ce[1]}}}for(let D in M){let W=M[D];if(W.from!=null){let J=M[W.from];if(J.min==null)W.min=W.max=null;else{let ce=W.range(n,J.min,J.max,D);W.min=ce[0],W.max=ce[1]}}}let w={},L=!1;for(let D in M){let W=M[D],J=_[D];if(J.min!=W.min||J.max!=W.max){J.min=W.min,J.max=W.max;let ce=J.distr;J._min=ce==3?Rs(J.min):ce==4?td(J.min,J.asinh):ce==100?J.fwd(J.min):J.min,J._max=ce==3?Rs(J.max):ce==4?td(J.max,J.asinh):ce==100?J.fwd(J.max):J.max,w[D]=L=!0}}if(L){v.forEach((D,W)=>{s==2?W>0&&w.y&&(D._paths=null):w[D.scale]&&(D._paths=null)});for(let D in w)Ae=!0,An("setScale",D);ge&&he.left>=0&&(te=me=!0)}for(let D in B)B[D]=null}function $e(M){let w=cd(an-1,0,nn-1),L=cd(ln+1,0,nn-1);for(;M[w]==null&&w>0;)w--;for(;M[L]==null&&L<nn-1;)L++;return[w,L]}function St(){if(nn>0){let M=v.some(w=>w._focus)&&Ue!=Ye.alpha;M&&(u.globalAlpha=Ue=Ye.alpha),v.forEach((w,L)=>{if(L>0&&w.show&&(en(L,!1),en(L,!0),w._paths==null)){let D=Ue;Ue!=w.alpha&&(u.globalAlpha=Ue=w.alpha);let W=s==2?[0,e[L][0].length-1]:$e(e[L]);w._paths=w.paths(n,L,W[0],W[1]),Ue!=D&&(u.globalAlpha=Ue=D)}}),v.forEach((w,L)=>{if(L>0&&w.show){let D=Ue;Ue!=w.alpha&&(u.globalAlpha=Ue=w.alpha),w._paths!=null&&zt(L,!1);{let W=w._paths!=null?w._paths.gaps:null,J=w.points.show(n,L,an,ln,W),ce=w.points.filter(n,L,J,W);(J||ce)&&(w.points._paths=w.points.paths(n,L,an,ln,ce),zt(L,!0))}Ue!=D&&(u.globalAlpha=Ue=D),An("drawSeries",L)}}),M&&(u.globalAlpha=Ue=1)}}function en(M,w){let L=w?v[M].points:v[M];L._stroke=L.stroke(n,M),L._fill=L.fill(n,M)}function zt(M,w){let L=w?v[M].points:v[M],{stroke:D,fill:W,clip:J,flags:ce,_stroke:pe=L._stroke,_fill:Te=L._fill,_width:ke=L.width}=L._paths;ke=Xt(ke*Nt,3);let Ge=null,Xe=ke%2/2;w&&Te==null&&(Te=ke>0?"#fff":pe);let pt=L.pxAlign==1&&Xe>0;if(pt&&u.translate(Xe,Xe),!w){let Pt=C-ke/2,Ct=S-ke/2,bt=q+ke,ot=de+ke;Ge=new Path2D,Ge.rect(Pt,Ct,bt,ot)}w?We(pe,ke,L.dash,L.cap,Te,D,W,ce,J):kt(M,pe,ke,L.dash,L.cap,Te,D,W,ce,Ge,J),pt&&u.translate(-Xe,-Xe)}function kt(M,w,L,D,W,J,ce,pe,Te,ke,Ge){let Xe=!1;Te!=0&&R.forEach((pt,Pt)=>{if(pt.series[0]==M){let Ct=v[pt.series[1]],bt=e[pt.series[1]],ot=(Ct._paths||rl).band;er(ot)&&(ot=pt.dir==1?ot[0]:ot[1]);let Qe,Zt=null;Ct.show&&ot&&_1(bt,an,ln)?(Zt=pt.fill(n,Pt)||J,Qe=Ct._paths.clip):ot=null,We(w,L,D,W,Zt,ce,pe,Te,ke,Ge,Qe,ot),Xe=!0}}),Xe||We(w,L,D,W,J,ce,pe,Te,ke,Ge)}let gn=zo|fd;function We(M,w,L,D,W,J,ce,pe,Te,ke,Ge,Xe){Pe(M,w,L,D,W),(Te||ke||Xe)&&(u.save(),Te&&u.clip(Te),ke&&u.clip(ke)),Xe?(pe&gn)==gn?(u.clip(Xe),Ge&&u.clip(Ge),At(W,ce),cn(M,J,w)):pe&fd?(At(W,ce),u.clip(Xe),cn(M,J,w)):pe&zo&&(u.save(),u.clip(Xe),Ge&&u.clip(Ge),At(W,ce),u.restore(),cn(M,J,w)):(At(W,ce),cn(M,J,w)),(Te||ke||Xe)&&u.restore()}function cn(M,w,L){L>0&&(w instanceof Map?w.forEach((D,W)=>{u.strokeStyle=Lr=W,u.stroke(D)}):w!=null&&M&&u.stroke(w))}function At(M,w){w instanceof Map?w.forEach((L,D)=>{u.fillStyle=Ps=D,u.fill(L)}):w!=null&&M&&u.fill(w)}function as(M,w,L,D){let W=E[M],J;if(D<=0)J=[0,0];else{let ce=W._space=W.space(n,M,w,L,D),pe=W._incrs=W.incrs(n,M,w,L,D,ce);J=zA(w,L,pe,D,ce)}return W._found=J}function hn(M,w,L,D,W,J,ce,pe,Te,ke){let Ge=ce%2/2;x==1&&u.translate(Ge,Ge),Pe(pe,ce,Te,ke,pe),u.beginPath();let Xe,pt,Pt,Ct,bt=W+(D==0||D==3?-J:J);L==0?(pt=W,Ct=bt):(Xe=W,Pt=bt);for(let ot=0;ot<M.length;ot++)w[ot]!=null&&(L==0?Xe=Pt=M[ot]:pt=Ct=M[ot],u.moveTo(Xe,pt),u.lineTo(Pt,Ct));u.stroke(),x==1&&u.translate(-Ge,-Ge)}function Dr(M){let w=!0;return E.forEach((L,D)=>{if(!L.show)return;let W=_[L.scale];if(W.min==null){L._show&&(w=!1,L._show=!1,_t(!1));return}else L._show||(w=!1,L._show=!0,_t(!1));let J=L.side,ce=J%2,{min:pe,max:Te}=W,[ke,Ge]=as(D,pe,Te,ce==0?F:Me);if(Ge==0)return;let Xe=W.distr==2,pt=L._splits=L.splits(n,D,pe,Te,ke,Ge,Xe),Pt=W.distr==2?pt.map(Qe=>Kn[Qe]):pt,Ct=W.distr==2?Kn[pt[1]]-Kn[pt[0]]:ke,bt=L._values=L.values(n,L.filter(n,Pt,D,Ge,Ct),D,Ge,Ct);L._rotate=J==2?L.rotate(n,bt,D,Ge):0;let ot=L._size;L._size=Ei(L.size(n,bt,D,M)),ot!=null&&L._size!=ot&&(w=!1)}),w}function Wi(M){let w=!0;return Wo.forEach((L,D)=>{let W=L(n,D,Vi,M);W!=Ci[D]&&(w=!1),Ci[D]=W}),w}function ls(){for(let M=0;M<E.length;M++){let w=E[M];if(!w.show||!w._show)continue;let L=w.side,D=L%2,W,J,ce=w.stroke(n,M),pe=L==0||L==3?-1:1,[Te,ke]=w._found;if(w.label!=null){let Vn=w.labelGap*pe,ei=Mn((w._lpos+Vn)*Nt);Fe(w.labelFont[0],ce,"center",L==2?"top":Gg),u.save(),D==1?(W=J=0,u.translate(ei,Mn(S+de/2)),u.rotate((L==3?-wh:wh)/2)):(W=Mn(C+q/2),J=ei);let sr=I0(w.label)?w.label(n,M,Te,ke):w.label;u.fillText(sr,W,J),u.restore()}if(ke==0)continue;let Ge=_[w.scale],Xe=D==0?q:de,pt=D==0?C:S,Pt=w._splits,Ct=Ge.distr==2?Pt.map(Vn=>Kn[Vn]):Pt,bt=Ge.distr==2?Kn[Pt[1]]-Kn[Pt[0]]:Te,ot=w.ticks,Qe=w.border,Zt=ot.show?ot.size:0,rn=Mn(Zt*Nt),Tn=Mn((w.alignTo==2?w._size-Zt-w.gap:w.gap)*Nt),Vt=w._rotate*-wh/180,on=m(w._pos*Nt),jn=(rn+Tn)*pe,Gn=on+jn;J=D==0?Gn:0,W=D==1?Gn:0;let pi=w.font[0],Ii=w.align==1?No:w.align==2?jf:Vt>0?No:Vt<0?jf:D==0?"center":L==3?jf:No,Yi=Vt||D==1?"middle":L==2?"top":Gg;Fe(pi,ce,Ii,Yi);let Qn=w.font[1]*w.lineGap,mi=Pt.map(Vn=>m(a(Vn,Ge,Xe,pt))),Pi=w._values;for(let Vn=0;Vn<Pi.length;Vn++){let ei=Pi[Vn];if(ei!=null){D==0?W=mi[Vn]:J=mi[Vn],ei=""+ei;let sr=ei.indexOf(`
`)==-1?[ei]:ei.split(/\n/gm);for(let Hn=0;Hn<sr.length;Hn++){let Kd=sr[Hn];Vt?(u.save(),u.translate(W,J+Hn*Qn),u.rotate(Vt),u.fillText(Kd,0,0),u.restore()):u.fillText(Kd,W,J+Hn*Qn)}}}ot.show&&hn(mi,ot.filter(n,Ct,M,ke,bt),D,L,on,rn,Xt(ot.width*Nt,3),ot.stroke(n,M),ot.dash,ot.cap);let $i=w.grid;$i.show&&hn(mi,$i.filter(n,Ct,M,ke,bt),D,D==0?2:1,D==0?S:C,D==0?de:q,Xt($i.width*Nt,3),$i.stroke(n,M),$i.dash,$i.cap),Qe.show&&hn([on],[1],D==0?1:0,D==0?1:2,D==1?S:C,D==1?de:q,Xt(Qe.width*Nt,3),Qe.stroke(n,M),Qe.dash,Qe.cap)}An("drawAxes")}function _t(M){v.forEach((w,L)=>{L>0&&(w._paths=null,M&&(s==1?(w.min=null,w.max=null):w.facets.forEach(D=>{D.min=null,D.max=null})))})}let sn=!1,kn=!1,Gt=[];function un(){kn=!1;for(let M=0;M<Gt.length;M++)An(...Gt[M]);Gt.length=0}function Dn(){sn||(L1(Nd),sn=!0)}function hl(M,w=!1){sn=!0,kn=w,M(n),Nd(),w&&Gt.length>0&&queueMicrotask(un)}n.batch=hl;function Nd(){if(oe&&(Mt(),oe=!1),Ae&&(Ce(),Ae=!1),Se){if(Kt(d,No,qe),Kt(d,"top",ht),Kt(d,tl,F),Kt(d,nl,Me),Kt(p,No,qe),Kt(p,"top",ht),Kt(p,tl,F),Kt(p,nl,Me),Kt(f,tl,ft),Kt(f,nl,xt),h.width=Mn(ft*Nt),h.height=Mn(xt*Nt),E.forEach(({_el:M,_show:w,_size:L,_pos:D,side:W})=>{if(M!=null)if(w){let J=W===3||W===0?L:0,ce=W%2==1;Kt(M,ce?"left":"top",D-J),Kt(M,ce?"width":"height",L),Kt(M,ce?"top":"left",ce?ht:qe),Kt(M,ce?"height":"width",ce?Me:F),ad(M,Tr)}else ui(M,Tr)}),Lr=Ps=Nr=H=Q=$=Z=Ie=T=null,Ue=1,Zo(!0),qe!=we||ht!=Dt||F!=Ze||Me!=et){_t(!1);let M=F/Ze,w=Me/et;if(ge&&!te&&he.left>=0){he.left*=M,he.top*=w,Ur&&ss(Ur,Mn(he.left),0,F,Me),Fr&&ss(Fr,0,Mn(he.top),F,Me);for(let L=0;L<gt.length;L++){let D=gt[L];D!=null&&(qt[L]*=M,zn[L]*=w,ss(D,Ei(qt[L]),Ei(zn[L]),F,Me))}}if($t.show&&!ie&&$t.left>=0&&$t.width>0){$t.left*=M,$t.width*=M,$t.top*=w,$t.height*=w;for(let L in Kh)Kt(zr,L,$t[L])}we=qe,Dt=ht,Ze=F,et=Me}An("setSize"),Se=!1}ft>0&&xt>0&&(u.clearRect(0,0,h.width,h.height),An("drawClear"),b.forEach(M=>M()),An("draw")),$t.show&&ie&&(ul($t),ie=!1),ge&&te&&(ir(null,!0,!1),te=!1),fe.show&&fe.live&&me&&(Zh(),me=!1),l||(l=!0,n.status=1,An("ready")),Is=!1,sn=!1}n.redraw=(M,w)=>{Ae=w||!1,M!==!1?Ns(A,P.min,P.max):Dn()};function qh(M,w){let L=_[M];if(L.from==null){if(nn==0){let D=L.range(n,w.min,w.max,M);w.min=D[0],w.max=D[1]}if(w.min>w.max){let D=w.min;w.min=w.max,w.max=D}if(nn>1&&w.min!=null&&w.max!=null&&w.max-w.min<1e-16)return;M==A&&L.distr==2&&nn>0&&(w.min=ki(w.min,e[0]),w.max=ki(w.max,e[0]),w.min==w.max&&w.max++),B[M]=w,oe=!0,Dn()}}n.setScale=qh;let Yh,$h,Ur,Fr,Dd,Ud,Or,Br,Fd,Od,Yt,jt,Ls=!1,Cn=he.drag,bn=Cn.x,wn=Cn.y;ge&&(he.x&&(Yh=Ti(n1,p)),he.y&&($h=Ti(i1,p)),P.ori==0?(Ur=Yh,Fr=$h):(Ur=$h,Fr=Yh),Yt=he.left,jt=he.top);let $t=n.select=mn({show:!0,over:!0,left:0,width:0,top:0,height:0},i.select),zr=$t.show?Ti(t1,$t.over?p:d):null;function ul(M,w){if($t.show){for(let L in M)$t[L]=M[L],L in Kh&&Kt(zr,L,M[L]);w!==!1&&An("setSelect")}}n.setSelect=ul;function Rx(M){if(v[M].show)j&&ad(st[M],Tr);else if(j&&ui(st[M],Tr),ge){let L=De?gt[0]:gt[M];L!=null&&ss(L,-10,-10,F,Me)}}function Ns(M,w,L){qh(M,{min:w,max:L})}function Xi(M,w,L,D){w.focus!=null&&Nx(M),w.show!=null&&v.forEach((W,J)=>{J>0&&(M==J||M==null)&&(W.show=w.show,Rx(J),s==2?(Ns(W.facets[0].scale,null,null),Ns(W.facets[1].scale,null,null)):Ns(W.scale,null,null),Dn())}),L!==!1&&An("setSeries",M,w),D&&Jo("setSeries",n,M,w)}n.setSeries=Xi;function Cx(M,w){mn(R[M],w)}function Ix(M,w){M.fill=Et(M.fill||null),M.dir=It(M.dir,-1),w=w??R.length,R.splice(w,0,M)}function Px(M){M==null?R.length=0:R.splice(M,1)}n.addBand=Ix,n.setBand=Cx,n.delBand=Px;function Lx(M,w){v[M].alpha=w,ge&&gt[M]!=null&&(gt[M].style.opacity=w),j&&st[M]&&(st[M].style.opacity=w)}let cs,Ds,nr,kr={focus:!0};function Nx(M){if(M!=nr){let w=M==null,L=Ye.alpha!=1;v.forEach((D,W)=>{if(s==1||W>0){let J=w||W==0||W==M;D._focus=w?null:J,L&&Lx(W,J?1:Ye.alpha)}}),nr=M,L&&Dn()}}j&&ct&&ze(Xg,Le,M=>{he._lock||(lt(M),nr!=null&&Xi(null,kr,!0,fn.setSeries))});function qi(M,w,L){let D=_[w];L&&(M=M/Nt-(D.ori==1?ht:qe));let W=F;D.ori==1&&(W=Me,M=W-M),D.dir==-1&&(M=W-M);let J=D._min,ce=D._max,pe=M/W,Te=J+(ce-J)*pe,ke=D.distr;return ke==3?Fo(10,Te):ke==4?v1(Te,D.asinh):ke==100?D.bwd(Te):Te}function Dx(M,w){let L=qi(M,A,w);return ki(L,e[0],an,ln)}n.valToIdx=M=>ki(M,e[0]),n.posToIdx=Dx,n.posToVal=qi,n.valToPos=(M,w,L)=>_[w].ori==0?r(M,_[w],L?q:F,L?C:0):o(M,_[w],L?de:Me,L?S:0),n.setCursor=(M,w,L)=>{Yt=M.left,jt=M.top,ir(null,w,L)};function Bd(M,w){Kt(zr,No,$t.left=M),Kt(zr,tl,$t.width=w)}function zd(M,w){Kt(zr,"top",$t.top=M),Kt(zr,nl,$t.height=w)}let Yo=P.ori==0?Bd:zd,$o=P.ori==1?Bd:zd;function Ux(){if(j&&fe.live)for(let M=s==2?1:0;M<v.length;M++){if(M==0&&it)continue;let w=fe.values[M],L=0;for(let D in w)Ke[M][L++].firstChild.nodeValue=w[D]}}function Zh(M,w){if(M!=null&&(M.idxs?M.idxs.forEach((L,D)=>{ee[D]=L}):w1(M.idx)||ee.fill(M.idx),fe.idx=ee[0]),j&&fe.live){for(let L=0;L<v.length;L++)(L>0||s==1&&!it)&&Fx(L,ee[L]);Ux()}me=!1,w!==!1&&An("setLegend")}n.setLegend=Zh;function Fx(M,w){let L=v[M],D=M==0&&z==2?Kn:e[M],W;it?W=L.values(n,M,w)??re:(W=L.value(n,w==null?null:D[w],M,w),W=W==null?re:{_:W}),fe.values[M]=W}function ir(M,w,L){Fd=Yt,Od=jt,[Yt,jt]=he.move(n,Yt,jt),he.left=Yt,he.top=jt,ge&&(Ur&&ss(Ur,Mn(Yt),0,F,Me),Fr&&ss(Fr,0,Mn(jt),F,Me));let D,W=an>ln;cs=Wt,Ds=null;let J=P.ori==0?F:Me,ce=P.ori==1?F:Me;if(Yt<0||nn==0||W){D=he.idx=null;for(let pe=0;pe<v.length;pe++){let Te=gt[pe];Te!=null&&ss(Te,-10,-10,F,Me)}ct&&Xi(null,kr,!0,M==null&&fn.setSeries),fe.live&&(ee.fill(D),me=!0)}else{let pe,Te,ke;s==1&&(pe=P.ori==0?Yt:jt,Te=qi(pe,A),D=he.idx=ki(Te,e[0],an,ln),ke=V(e[0][D],P,J,0));let Ge=-10,Xe=-10,pt=0,Pt=0,Ct=!0,bt="",ot="";for(let Qe=s==2?1:0;Qe<v.length;Qe++){let Zt=v[Qe],rn=ee[Qe],Tn=rn==null?null:s==1?e[Qe][rn]:e[Qe][1][rn],Vt=he.dataIdx(n,Qe,D,Te),on=Vt==null?null:s==1?e[Qe][Vt]:e[Qe][1][Vt];if(me=me||on!=Tn||Vt!=rn,ee[Qe]=Vt,Qe>0&&Zt.show){let jn=Vt==null?-10:Vt==D?ke:V(s==1?e[0][Vt]:e[Qe][0][Vt],P,J,0),Gn=on==null?-10:N(on,s==1?_[Zt.scale]:_[Zt.facets[1].scale],ce,0);if(ct&&on!=null){let pi=P.ori==1?Yt:jt,Ii=Sn(Ye.dist(n,Qe,Vt,Gn,pi));if(Ii<cs){let Yi=Ye.bias;if(Yi!=0){let Qn=qi(pi,Zt.scale),mi=on>=0?1:-1,Pi=Qn>=0?1:-1;Pi==mi&&(Pi==1?Yi==1?on>=Qn:on<=Qn:Yi==1?on<=Qn:on>=Qn)&&(cs=Ii,Ds=Qe)}else cs=Ii,Ds=Qe}}if(me||De){let pi,Ii;P.ori==0?(pi=jn,Ii=Gn):(pi=Gn,Ii=jn);let Yi,Qn,mi,Pi,$i,Vn,ei=!0,sr=ue.bbox;if(sr!=null){ei=!1;let Hn=sr(n,Qe);mi=Hn.left,Pi=Hn.top,Yi=Hn.width,Qn=Hn.height}else mi=pi,Pi=Ii,Yi=Qn=ue.size(n,Qe);if(Vn=ue.fill(n,Qe),$i=ue.stroke(n,Qe),De)Qe==Ds&&cs<=Ye.prox&&(Ge=mi,Xe=Pi,pt=Yi,Pt=Qn,Ct=ei,bt=Vn,ot=$i);else{let Hn=gt[Qe];Hn!=null&&(qt[Qe]=mi,zn[Qe]=Pi,jg(Hn,Yi,Qn,ei),Jg(Hn,Vn,$i),ss(Hn,Ei(mi),Ei(Pi),F,Me))}}}}if(De){let Qe=Ye.prox,Zt=nr==null?cs<=Qe:cs>Qe||Ds!=nr;if(me||Zt){let rn=gt[0];rn!=null&&(qt[0]=Ge,zn[0]=Xe,jg(rn,pt,Pt,Ct),Jg(rn,bt,ot),ss(rn,Ei(Ge),Ei(Xe),F,Me))}}}if($t.show&&Ls)if(M!=null){let[pe,Te]=fn.scales,[ke,Ge]=fn.match,[Xe,pt]=M.cursor.sync.scales,Pt=M.cursor.drag;if(bn=Pt._x,wn=Pt._y,bn||wn){let{left:Ct,top:bt,width:ot,height:Qe}=M.select,Zt=M.scales[Xe].ori,rn=M.posToVal,Tn,Vt,on,jn,Gn,pi=pe!=null&&ke(pe,Xe),Ii=Te!=null&&Ge(Te,pt);pi&&bn?(Zt==0?(Tn=Ct,Vt=ot):(Tn=bt,Vt=Qe),on=_[pe],jn=V(rn(Tn,Xe),on,J,0),Gn=V(rn(Tn+Vt,Xe),on,J,0),Yo(Gi(jn,Gn),Sn(Gn-jn))):Yo(0,J),Ii&&wn?(Zt==1?(Tn=Ct,Vt=ot):(Tn=bt,Vt=Qe),on=_[Te],jn=N(rn(Tn,pt),on,ce,0),Gn=N(rn(Tn+Vt,pt),on,ce,0),$o(Gi(jn,Gn),Sn(Gn-jn))):$o(0,ce)}else jh()}else{let pe=Sn(Fd-Dd),Te=Sn(Od-Ud);if(P.ori==1){let pt=pe;pe=Te,Te=pt}bn=Cn.x&&pe>=Cn.dist,wn=Cn.y&&Te>=Cn.dist;let ke=Cn.uni;ke!=null?bn&&wn&&(bn=pe>=ke,wn=Te>=ke,!bn&&!wn&&(Te>pe?wn=!0:bn=!0)):Cn.x&&Cn.y&&(bn||wn)&&(bn=wn=!0);let Ge,Xe;bn&&(P.ori==0?(Ge=Or,Xe=Yt):(Ge=Br,Xe=jt),Yo(Gi(Ge,Xe),Sn(Xe-Ge)),wn||$o(0,ce)),wn&&(P.ori==1?(Ge=Or,Xe=Yt):(Ge=Br,Xe=jt),$o(Gi(Ge,Xe),Sn(Xe-Ge)),bn||Yo(0,J)),!bn&&!wn&&(Yo(0,0),$o(0,0))}if(Cn._x=bn,Cn._y=wn,M==null){if(L){if(Jd!=null){let[pe,Te]=fn.scales;fn.values[0]=pe!=null?qi(P.ori==0?Yt:jt,pe):null,fn.values[1]=Te!=null?qi(P.ori==1?Yt:jt,Te):null}Jo(Qf,n,Yt,jt,F,Me,D)}if(ct){let pe=L&&fn.setSeries,Te=Ye.prox;nr==null?cs<=Te&&Xi(Ds,kr,!0,pe):cs>Te?Xi(null,kr,!0,pe):Ds!=nr&&Xi(Ds,kr,!0,pe)}}me&&(fe.idx=D,Zh()),w!==!1&&An("setCursor")}let Us=null;Object.defineProperty(n,"rect",{get(){return Us==null&&Zo(!1),Us}});function Zo(M=!1){M?Us=null:(Us=p.getBoundingClientRect(),An("syncRect",Us))}function kd(M,w,L,D,W,J,ce){he._lock||Ls&&M!=null&&M.movementX==0&&M.movementY==0||(Jh(M,w,L,D,W,J,ce,!1,M!=null),M!=null?ir(null,!0,!0):ir(w,!0,!1))}function Jh(M,w,L,D,W,J,ce,pe,Te){if(Us==null&&Zo(!1),lt(M),M!=null)L=M.clientX-Us.left,D=M.clientY-Us.top;else{if(L<0||D<0){Yt=-10,jt=-10;return}let[ke,Ge]=fn.scales,Xe=w.cursor.sync,[pt,Pt]=Xe.values,[Ct,bt]=Xe.scales,[ot,Qe]=fn.match,Zt=w.axes[0].side%2==1,rn=P.ori==0?F:Me,Tn=P.ori==1?F:Me,Vt=Zt?J:W,on=Zt?W:J,jn=Zt?D:L,Gn=Zt?L:D;if(Ct!=null?L=ot(ke,Ct)?a(pt,_[ke],rn,0):-10:L=rn*(jn/Vt),bt!=null?D=Qe(Ge,bt)?a(Pt,_[Ge],Tn,0):-10:D=Tn*(Gn/on),P.ori==1){let pi=L;L=D,D=pi}}Te&&(w==null||w.cursor.event.type==Qf)&&((L<=1||L>=F-1)&&(L=wr(L,F)),(D<=1||D>=Me-1)&&(D=wr(D,Me))),pe?(Dd=L,Ud=D,[Or,Br]=he.move(n,L,D)):(Yt=L,jt=D)}let Kh={width:0,height:0,left:0,top:0};function jh(){ul(Kh,!1)}let Gd,Vd,Hd,Wd;function Xd(M,w,L,D,W,J,ce){Ls=!0,bn=wn=Cn._x=Cn._y=!1,Jh(M,w,L,D,W,J,ce,!0,!1),M!=null&&(ze(ed,rd,qd,!1),Jo(Hg,n,Or,Br,F,Me,null));let{left:pe,top:Te,width:ke,height:Ge}=$t;Gd=pe,Vd=Te,Hd=ke,Wd=Ge}function qd(M,w,L,D,W,J,ce){Ls=Cn._x=Cn._y=!1,Jh(M,w,L,D,W,J,ce,!1,!0);let{left:pe,top:Te,width:ke,height:Ge}=$t,Xe=ke>0||Ge>0,pt=Gd!=pe||Vd!=Te||Hd!=ke||Wd!=Ge;if(Xe&&pt&&ul($t),Cn.setScale&&Xe&&pt){let Pt=pe,Ct=ke,bt=Te,ot=Ge;if(P.ori==1&&(Pt=Te,Ct=Ge,bt=pe,ot=ke),bn&&Ns(A,qi(Pt,A),qi(Pt+Ct,A)),wn)for(let Qe in _){let Zt=_[Qe];Qe!=A&&Zt.from==null&&Zt.min!=Wt&&Ns(Qe,qi(bt+ot,Qe),qi(bt,Qe))}jh()}else he.lock&&(he._lock=!he._lock,ir(w,!0,M!=null));M!=null&&(mt(ed,rd),Jo(ed,n,Yt,jt,F,Me,null))}function Ox(M,w,L,D,W,J,ce){if(he._lock)return;lt(M);let pe=Ls;if(Ls){let Te=!0,ke=!0,Ge=10,Xe,pt;P.ori==0?(Xe=bn,pt=wn):(Xe=wn,pt=bn),Xe&&pt&&(Te=Yt<=Ge||Yt>=F-Ge,ke=jt<=Ge||jt>=Me-Ge),Xe&&Te&&(Yt=Yt<Or?0:F),pt&&ke&&(jt=jt<Br?0:Me),ir(null,!0,!0),Ls=!1}Yt=-10,jt=-10,ee.fill(null),ir(null,!0,!0),pe&&(Ls=pe)}function Yd(M,w,L,D,W,J,ce){he._lock||(lt(M),qo(),jh(),M!=null&&Jo(qg,n,Yt,jt,F,Me,null))}function $d(){E.forEach(kA),O(n.width,n.height,!0)}Er(Ah,Uo,$d);let Gr={};Gr.mousedown=Xd,Gr.mousemove=kd,Gr.mouseup=qd,Gr.dblclick=Yd,Gr.setSeries=(M,w,L,D)=>{let W=fn.match[2];L=W(n,w,L),L!=-1&&Xi(L,D,!0,!1)},ge&&(ze(Hg,p,Xd),ze(Qf,p,kd),ze(Wg,p,M=>{lt(M),Zo(!1)}),ze(Xg,p,Ox),ze(qg,p,Yd),dd.add(n),n.syncRect=Zo);let fl=n.hooks=i.hooks||{};function An(M,w,L){kn?Gt.push([M,w,L]):M in fl&&fl[M].forEach(D=>{D.call(null,n,w,L)})}(i.plugins||[]).forEach(M=>{for(let w in M.hooks)fl[w]=(fl[w]||[]).concat(M.hooks[w])});let Zd=(M,w,L)=>L,fn=mn({key:null,setSeries:!1,filters:{pub:i0,sub:i0},scales:[A,v[1]?v[1].scale:null],match:[s0,s0,Zd],values:[null,null]},he.sync);fn.match.length==2&&fn.match.push(Zd),he.sync=fn;let Jd=fn.key,Qh=ex(Jd);function Jo(M,w,L,D,W,J,ce){fn.filters.pub(M,w,L,D,W,J,ce)&&Qh.pub(M,w,L,D,W,J,ce)}Qh.sub(n);function Bx(M,w,L,D,W,J,ce){fn.filters.sub(M,w,L,D,W,J,ce)&&Gr[M](null,w,L,D,W,J,ce)}n.pub=Bx;function zx(){Qh.unsub(n),dd.delete(n),nt.clear(),ld(Ah,Uo,$d),c.remove(),Le?.remove(),An("destroy")}n.destroy=zx;function eu(){An("init",i,e),Xo(e||i.data,!1),B[A]?qh(A,B[A]):qo(),ie=$t.show&&($t.width>0||$t.height>0),te=me=!0,O(i.width,i.height)}return v.forEach(Pr),E.forEach(rs),t?t instanceof HTMLElement?(t.appendChild(c),eu()):t(n,eu):eu(),n}Nn.assign=mn;Nn.fmtNum=vd;Nn.rangeNum=Th;Nn.rangeLog=Ch;Nn.rangeAsinh=_d;Nn.orient=Cr;Nn.pxRatio=Nt;Nn.join=P1;Nn.fmtDate=Sd,Nn.tzDate=V1;Nn.sync=ex;{Nn.addGap=wA,Nn.clipGaps=Lh;let i=Nn.paths={points:ox};i.linear=lx,i.stepped=EA,i.bars=RA,i.spline=IA}var Fh=class{constructor(){this.clear()}clear(){this.times=[],this.columns=new Map}get names(){return[...this.columns.keys()]}get first(){return this.times[0]??0}get last(){return this.times.at(-1)??0}append(e,t){if(e.edge&&(e.time<this.last&&this.truncate(this.indexAfter(e.time)),this.times.length>0&&e.time===this.last&&this.truncate(this.times.length-1),this.times.push(e.time),t.forEach((n,s)=>{n===void 0||s>=e.channels.length||(this.columns.has(n)||this.columns.set(n,[]),this.columns.get(n)[this.times.length-1]=Number.isFinite(e.channels[s])?e.channels[s]:null)}),this.times.length>11e3)){this.times.splice(0,1e3);for(let n of this.columns.values())n.splice(0,1e3)}}truncate(e){this.times.length=e;for(let t of this.columns.values())t.length=Math.min(t.length,e)}indexAfter(e){let[t,n]=[0,this.times.length];for(;t<n;){let s=t+n>>1;this.times[s]<e?t=s+1:n=s}return t}window(e,t,n){let[s,r]=[this.indexAfter(t),this.indexAfter(n+1e-9)],o=a=>Array.from({length:r-s},(l,c)=>this.columns.get(a)?.[s+c]??null);return[this.times.slice(s,r),...e.map(o)]}at(e,t){return this.columns.get(e)?.[Math.max(0,this.indexAfter(t+1e-9)-1)]}};var fx=[["#1f8fe0",[]],["#e5651d",[6,3]],["#2a9d4b",[2,3]],["#9a4fd0",[8,3,2,3]],["#b8860b",[1,4]],["#d6336c",[10,4]]],dx=10,px=80,mx=118,Oh=class{constructor(e){this.viewer=e,this.history=new Fh,this.entries=[],this.drawn=0,this.list=ae("div",{class:"plot-list"}),this.search=ae("input",{type:"search",placeholder:"Plot a channel…","aria-label":"Plot a channel: a part of its name",autocomplete:"off",oninput:()=>this.offer(),onfocus:()=>this.offer(),onkeydown:t=>t.key==="Enter"&&this.offered.firstElementChild?.click()}),this.offered=ae("div",{class:"offered",role:"group","aria-label":"Channels found"}),this.root=ae("section",{class:"plots","aria-label":"Plots",hidden:!0},ae("div",{class:"plot-search"},this.search,this.offered),this.list),this.root.addEventListener("focusout",t=>!this.root.contains(t.relatedTarget)&&this.offered.replaceChildren()),this.resize=new ResizeObserver(()=>this.fitWidth()),this.resize.observe(this.list)}get names(){return[...new Set(this.channels.map(e=>e.name))]}get channels(){return this.viewer.source?.settings.channels??[]}get shown(){return!this.root.hidden}show(e){this.root.hidden=!e,e&&this.entries.length===0&&this.suggest(),e&&(this.fitWidth(),this.update(this.viewer.moment,!0))}suggest(){let{recording:e}=this.viewer.source,n=[...(e?.changes??[]).slice(0,2).map(({name:o})=>[`network/${o}/without`,`network/${o}/with`]),...e?.header.plots??[]],s=n.length?n:this.names.filter(o=>/^(energy\/total|contact\/force\/z)$/.test(o)).map(o=>[o]),r=s.length>0?s:this.names.slice(0,2).map(o=>[o]);for(let o of r)this.add(o)}offer(){let e=this.search.value.toLowerCase().split(/\s+/).filter(Boolean),t=new Set(this.entries.flatMap(s=>s.names)),n=this.names.filter(s=>!t.has(s)&&e.every(r=>s.toLowerCase().includes(r)));this.offered.replaceChildren(...n.slice(0,8).map(s=>ae("button",{type:"button",text:s,onclick:()=>{this.add([s]),this.search.value="",this.offered.replaceChildren(),this.search.focus()}})))}add(e){let t=e.filter(r=>this.names.includes(r));if(t.length===0)return;let n=GA(t),s={names:t,values:ae("div",{class:"plot-values"}),holder:ae("div",{class:"plot-canvas"})};s.root=ae("article",{class:"plot","aria-label":`Plot of ${n}`},ae("header",{},ae("h3",{text:n,title:n}),Ai(`Close the plot of ${n}`,"close",()=>this.remove(s))),s.values,s.holder),this.entries.push(s),this.list.append(s.root),this.build(s),this.update(this.viewer.moment,!0)}remove(e){e.plot?.destroy(),e.root.remove(),this.entries=this.entries.filter(t=>t!==e)}build(e){e.plot?.destroy(),e.lines=this.channels.flatMap((s,r)=>e.names.includes(s.name)?[{...s,index:r}]:[]),e.lines.forEach((s,r)=>{let o=s.layer??(e.names.length>1?s.name.slice(gx(e.names).length):""),a=this.viewer.layers?.layers??[],l=a.findIndex(c=>c.name===s.layer);[s.colour,s.dash]=fx[(l<0?r:l)%fx.length],a[l]?.colour&&(s.colour=a[l].colour),s.label=o,s.value=ae("span",{class:"plot-value"}),s.value.style.setProperty("--line",s.colour),s.value.dataset.dash=s.dash.length>0?"dashed":"solid"}),e.values.replaceChildren(...e.lines.map(s=>s.value));let t=s=>getComputedStyle(this.viewer.root).getPropertyValue(s).trim(),n={stroke:()=>t("--muted"),grid:{stroke:()=>t("--rule"),width:1},ticks:{show:!1},font:"11px system-ui, sans-serif"};e.plot=new Nn({width:Math.max(80,this.list.clientWidth-18||280),height:mx,legend:{show:!1},padding:[6,8,0,0],cursor:{y:!1,drag:{x:!1,y:!1},points:{size:5}},scales:{x:{time:!1},y:{range:(s,r,o)=>VA(r,o)}},axes:[{...n,size:22,space:60},{...n,size:46,space:26,values:(s,r)=>r.map(o=>ci(o,4))}],series:[{},...e.lines.map(s=>({stroke:s.colour,width:1.6,dash:s.dash,points:{show:!1},spanGaps:!1}))],hooks:{draw:[s=>this.drawPlayhead(s)]}},[[0],...e.lines.map(()=>[null])],e.holder),e.plot.over.addEventListener("click",s=>this.viewer.seek(e.plot.posToVal(s.offsetX,"x")))}drawPlayhead(e){let t=this.viewer.moment?.time??0,n=Math.round(e.valToPos(t,"x",!0))+.5,{left:s,top:r,width:o,height:a}=e.bbox;n<s-1||n>s+o+1||(e.ctx.save(),e.ctx.strokeStyle=getComputedStyle(this.viewer.root).getPropertyValue("--accent"),e.ctx.lineWidth=1.5*devicePixelRatio,e.ctx.setLineDash([]),e.ctx.beginPath(),e.ctx.moveTo(n,r),e.ctx.lineTo(n,r+a),e.ctx.stroke(),e.ctx.restore())}update(e,t=!1){if(!e)return;let{source:n}=this.viewer;if(n.live&&this.history.append(e,this.channels.map(r=>r.name)),!this.shown)return;let s=performance.now();if(clearTimeout(this.later),!t&&s-this.drawn<px){this.later=setTimeout(()=>this.update(this.viewer.moment,!0),px);return}this.drawn=s;for(let r of this.entries)r.playhead=e.time,n.live?this.drawLive(r,e):this.drawRecorded(r,n.recording,e)}drawLive(e,t){let n=t.edge?t.time:Math.max(t.time,this.history.last),s=this.history.window(e.lines.map(r=>r.name),n-dx,n);e.plot.setData(s,!1),e.plot.setScale("x",{min:Math.max(this.history.first,n-dx),max:Math.max(n,this.history.first+.5)}),e.lines.forEach(r=>this.sayValue(r,this.history.at(r.name,t.time)))}drawRecorded(e,t,n){if(e.filled)e.plot.redraw(!1);else{let s=t.channels.length,r=o=>Array.from(t.times,(a,l)=>HA(t.values[l*s+o]));e.plot.setData([Array.from(t.times),...e.lines.map(o=>r(o.index))]),e.filled=!0}e.lines.forEach(s=>this.sayValue(s,n.channels[s.index]))}sayValue(e,t){let n=t==null?"–":ci(t,4);is(e.value,`${e.label?`${e.label} `:""}${n}${e.unit?` ${e.unit}`:""}`)}fitWidth(){let e=this.list.clientWidth-18;if(!(e<60))for(let{plot:t}of this.entries)t.width!==e&&t.setSize({width:e,height:mx})}csv(){let{source:e}=this.viewer,t=l=>/[",\n]/.test(l)?`"${l.replaceAll('"','""')}"`:l,n=({name:l,unit:c,layer:h})=>t(`${h?`${h}: `:""}${l}${c?` [${c}]`:""}`);if(e.live){let l=this.history.names,c=u=>this.channels.find(f=>f.name===u)??{name:u},h=this.history.times.map((u,f)=>[u,...l.map(d=>this.history.columns.get(d)[f]??"")].join(","));return[["t [s]",...l.map(u=>n(c(u)))].join(","),...h,""].join(`
`)}let{times:s,values:r,channels:o}=e.recording,a=Array.from(s,(l,c)=>[l,...r.subarray(c*o.length,(c+1)*o.length)].join(","));return[["t [s]",...o.map(n)].join(","),...a,""].join(`
`)}channelsChanged(){for(let e of[...this.entries]){let t=e.names.filter(n=>this.names.includes(n));t.length===0?this.remove(e):(t.length!==e.names.length||e.lines.length===0)&&this.build(e)}}dispose(){clearTimeout(this.later),this.resize.disconnect();for(let{plot:e}of this.entries)e?.destroy()}};function gx(i){let e=i[0].split("/"),t=i.length>1?e.length-1:0,n=()=>e.slice(0,t).map(s=>`${s}/`).join("");for(;t>0&&!i.every(s=>s.startsWith(n()));)t-=1;return n()}function GA(i){let e=gx(i);return e+i.map(t=>t.slice(e.length)).join(", ")}function VA(i,e){if(i===null||e===null)return[0,1];let t=.08*(e-i)||.05*Math.abs(e)||.5;return[i-t,e+t]}function HA(i){return Number.isFinite(i)?i:null}function al(i){if(Uint8Array.fromBase64)return Uint8Array.fromBase64(i);let e=atob(i),t=new Uint8Array(e.length);for(let n=0;n<e.length;n++)t[n]=e.charCodeAt(n);return t}function xx(i){return new Float32Array(al(i).slice().buffer)}function _x(i){return new Uint32Array(al(i).slice().buffer)}async function Cd(i){let e=new Blob([i]).stream().pipeThrough(new DecompressionStream("deflate"));return new Uint8Array(await new Response(e).arrayBuffer())}async function vx(i,e=null){let[t,n]=await Promise.all([Cd(al(i)),e&&Cd(al(e))]);return new Id(t,n&&JSON.parse(new TextDecoder().decode(n)))}var Id=class{constructor(e,t=null){let s=new DataView(e.buffer,e.byteOffset,e.byteLength).getUint32(0,!0),r=JSON.parse(new TextDecoder().decode(e.subarray(4,4+s))),o=e.byteOffset+4*Math.ceil((4+s)/4);this.array=a=>{let l=r.arrays[a];if(!l)return null;let c=l.type==="u32"?Uint32Array:Float32Array;return new c(e.buffer,o+l.offset,l.shape.reduce((h,u)=>h*u,1))},this.header=r,this.scene=r.scene??t,this.worlds=r.worlds??1,this.layers=r.layers,this.channels=r.channels??[],this.arrows=r.arrows??[],this.times=this.array("t"),this.poses=this.layers.map(a=>this.array(`poses/${a.name}`)),this.values=this.array("channels")??new Float32Array(0),this.vectors=this.arrows.map(a=>this.array(`arrows/${a.name}`)),this.contacts=this.array("contacts")??new Float32Array(0),this.contactStarts=yx(this.array("contact_counts"),this.times.length),this.trails=r.trails??[],this.effectSites=r.effects??[],this.effects=this.array("effects")??new Float32Array(0),this.effectStarts=yx(this.array("effect_counts"),this.times.length),this.changes=r.changes??[],this.changed=this.array("changes")??new Float32Array(0),this.addChanges(),this.main=Math.max(0,this.layers.findIndex(a=>!a.ghost))}addChanges(){if(this.changes.length===0)return;let e=this.channels.length,t=["without","with","change"];this.channels=[...this.channels,...this.changes.flatMap(({name:r,unit:o})=>t.map(a=>({name:`network/${r}/${a}`,unit:o,layer:null})))];let n=this.channels.length,s=new Float32Array(n*this.times.length);for(let r=0;r<this.times.length;r++)s.set(this.values.subarray(r*e,(r+1)*e),r*n),this.changes.forEach((o,a)=>{let[l,c]=this.changeAt(r,a);s.set([l,l+c,c],r*n+e+3*a)});this.values=s}changeAt(e,t){let n=2*(e*this.changes.length+t);return this.changed.subarray(n,n+2)}get first(){return this.times[0]}get last(){return this.times[this.times.length-1]}indexAt(e){let[t,n]=[0,this.times.length-1];for(;t<n;){let s=Math.ceil((t+n)/2);this.times[s]<=e?t=s:n=s-1}return t}at(e,t=new Sr){let n=this.indexAt(e),s=Math.min(n+1,this.times.length-1),r=this.times[s]-this.times[n],o=r>0?Math.min(1,Math.max(0,(e-this.times[n])/r)):0,a=this.scene.bodies.length,l=7*a*this.worlds,c=f=>{if(!f)return null;let d=f.subarray(n*l,(n+1)*l);return o<1e-6?d:WA(d,f.subarray(s*l,(s+1)*l),o)},h=this.poses.map(c),u=this.channels.length;return Object.assign(t,{time:e,first:this.first,last:this.last,worlds:this.worlds,bodies:a,index:n,layers:h,poses:h[this.main],contacts:this.contacts.subarray(8*this.contactStarts[n],8*this.contactStarts[n+1]),channels:this.values.subarray(n*u,(n+1)*u),effects:this.effects.subarray(8*this.effectStarts[n],8*this.effectStarts[n+1]),vectors:this.vectors.map(f=>f&&f.subarray(n*f.length/this.times.length,(n+1)*f.length/this.times.length))})}};function yx(i,e){let t=new Uint32Array(e+1);return i?.forEach((n,s)=>t[s+1]=t[s]+n),t}function WA(i,e,t){let n=new Float32Array(i.length);for(let s=0;s<i.length;s+=7){for(let l=0;l<3;l++)n[s+l]=i[s+l]+t*(e[s+l]-i[s+l]);let r=0;for(let l=3;l<7;l++)r+=i[s+l]*e[s+l];let o=r<0?-1:1,a=0;for(let l=3;l<7;l++)n[s+l]=(1-t)*i[s+l]+t*o*e[s+l],a+=n[s+l]*n[s+l];a=Math.sqrt(a)||1;for(let l=3;l<7;l++)n[s+l]/=a}return n}var ll=new k;function Ri(i,e,t,n,s,r){let o=2*Math.PI*s/4,a=Math.max(r-2*s,0),l=Math.PI/4;ll.copy(e),ll[n]=0,ll.normalize();let c=.5*o/(o+a),h=1-ll.angleTo(i)/l;return Math.sign(ll[t])===1?h*c:a/(o+a)+c+c*(1-h)}var Bh=class i extends ji{constructor(e=1,t=1,n=1,s=2,r=.1){let o=s*2+1;if(r=Math.min(e/2,t/2,n/2,r),super(1,1,1,o,o,o),this.type="RoundedBoxGeometry",this.parameters={width:e,height:t,depth:n,segments:s,radius:r},o===1)return;let a=this.toNonIndexed();this.index=null,this.attributes.position=a.attributes.position,this.attributes.normal=a.attributes.normal,this.attributes.uv=a.attributes.uv;let l=new k,c=new k,h=new k(e,t,n).divideScalar(2).subScalar(r),u=this.attributes.position.array,f=this.attributes.normal.array,d=this.attributes.uv.array,p=u.length/6,x=new k,m=.5/o;for(let g=0,v=0;g<u.length;g+=3,v+=2)switch(l.fromArray(u,g),c.copy(l),c.x-=Math.sign(c.x)*m,c.y-=Math.sign(c.y)*m,c.z-=Math.sign(c.z)*m,c.normalize(),u[g+0]=h.x*Math.sign(l.x)+c.x*r,u[g+1]=h.y*Math.sign(l.y)+c.y*r,u[g+2]=h.z*Math.sign(l.z)+c.z*r,f[g+0]=c.x,f[g+1]=c.y,f[g+2]=c.z,Math.floor(g/p)){case 0:x.set(1,0,0),d[v+0]=Ri(x,c,"z","y",r,n),d[v+1]=1-Ri(x,c,"y","z",r,t);break;case 1:x.set(-1,0,0),d[v+0]=1-Ri(x,c,"z","y",r,n),d[v+1]=1-Ri(x,c,"y","z",r,t);break;case 2:x.set(0,1,0),d[v+0]=1-Ri(x,c,"x","z",r,e),d[v+1]=Ri(x,c,"z","x",r,n);break;case 3:x.set(0,-1,0),d[v+0]=1-Ri(x,c,"x","z",r,e),d[v+1]=1-Ri(x,c,"z","x",r,n);break;case 4:x.set(0,0,1),d[v+0]=1-Ri(x,c,"x","y",r,e),d[v+1]=1-Ri(x,c,"y","x",r,t);break;case 5:x.set(0,0,-1),d[v+0]=Ri(x,c,"x","y",r,e),d[v+1]=1-Ri(x,c,"y","x",r,t);break}}static fromJSON(e){return new i(e.width,e.height,e.depth,e.segments,e.radius)}};var XA=.6,Mx=1,bx=.06,zh=class{constructor(e,t=1){this.meshes=e,this.around=Math.round(36*t),this.made=new Map}parts(e){let[t,n,s]=e.size,r=(a,l,c=[1,1,1],h=[0,0,0])=>({key:a,surface:this.surface(a,l),scale:c,at:h});switch(e.missing?"missing":e.kind){case"sphere":return[r("sphere",()=>Pd(this.around),[t,t,t])];case"ellipsoid":return[r("sphere",()=>Pd(this.around),[t,n,s])];case"capsule":return[r(`capsule ${t} ${n}`,()=>new Sa(t,2*n,this.around>>2,this.around-(this.around>>2)).rotateX(Math.PI/2))];case"cylinder":return[r(`cylinder ${t} ${n}`,()=>qA(t,n,this.around))];case"box":return[r(`box ${t} ${n} ${s}`,()=>Sx(t,n,s,this.around>20?3:1))];case"plane":return[r("plane",()=>new Qi(2*Mx,2*Mx))];case"mesh":return[r(`mesh ${e.mesh}`,()=>YA(this.meshes[e.mesh]),[t,n,s])];case"extrusion":return[r(`extrusion ${t} ${n} ${s} ${e.outline}`,()=>$A(e))];case"points":return(e.points??[]).map(a=>r("sphere",()=>Pd(this.around),[.004,.004,.004],[a[0]*t,a[1]*n,a[2]*s]));default:{let a=e.kind==="box"?e.size:[.05,.05,.05];return[r(`box ${a.join(" ")}`,()=>Sx(...a,1))]}}}surface(e,t){return this.made.has(e)||this.made.set(e,t()),this.made.get(e)}dispose(){for(let e of this.made.values())e.dispose();this.made.clear()}};function Pd(i){return new Mi(1,i,i*3>>2).rotateX(Math.PI/2)}function Sx(i,e,t,n){return new Bh(2*i,2*e,2*t,n,bx*2*Math.min(i,e,t))}function qA(i,e,t){let n=bx*Math.min(i,e),s=[new Ee(0,-e)];for(let[r,o]of[[-1,0],[1,2]])for(let a=0;a<=3;a++){let l=(o+a/3)*Math.PI/2,c=r<0?[Math.sin(l),-Math.cos(l)]:[-Math.cos(l),-Math.sin(l)];s.push(new Ee(i-n+n*Math.abs(c[0]),r*(e-n)+n*r*Math.abs(c[1])))}return s.push(new Ee(0,e)),Cf(new La(s,t).rotateX(Math.PI/2),.9)}function YA(i){let e=new Jt;return e.setAttribute("position",new Ot(xx(i.positions),3)),e.setIndex(new Ot(_x(i.triangles),1)),Cf(e,XA)}function $A({outline:i,size:[e,t,n]}){let s=new xo(i.map(([r,o])=>new Ee(r*e,o*t)));return new Pa(s,{depth:2*n,bevelEnabled:!1}).translate(0,0,-n)}var ZA={light:{zenith:"#c9d6e3",horizon:"#f3f5f7",ground:"#e6e9ec",line:"#a9b3bd",key:2.4,fill:1.05,room:.42,text:"#1c2430"},dark:{zenith:"#0d1218",horizon:"#1d242d",ground:"#232b34",line:"#56626f",key:2.1,fill:.42,room:.3,text:"#e8edf2"}},JA=[.42,-.5,.9],kh=class{constructor(e,t=null){this.quality=t??(KA()?"low":"high");let n=this.quality!=="high",s=this.quality==="draft";this.renderer=new oh({canvas:e,antialias:!n,powerPreference:"high-performance"}),this.renderer.setPixelRatio(s?.3:n?1:Math.min(window.devicePixelRatio||1,2)),this.renderer.toneMapping=Ga,this.renderer.shadowMap.enabled=!s,this.renderer.shadowMap.type=mr,this.scene=new ys,this.camera=new Xn(40,1,.01,1e3),this.camera.up.set(0,0,1),this.scene.add(this.camera),this.hemisphere=new Ua("#ffffff","#9aa3ad",1),this.hemisphere.position.set(0,0,1),this.sun=new Ba("#fff6ea",2),this.sun.castShadow=!0,this.sun.shadow.mapSize.setScalar(n?1024:2048),this.sun.shadow.radius=n?2:5,this.sun.shadow.bias=-4e-4,this.sky=jA(),this.ground=QA(),this.scene.add(this.hemisphere,this.sun,this.sun.target,this.sky,this.ground,new za("#ffffff",.12)),n||(this.scene.environment=eT(this.renderer)),this.fillFactor=n?1.7:1,this.setTheme("light")}setTheme(e){let t=ZA[e];this.theme=e,this.hemisphere.intensity=t.fill*this.fillFactor,this.sun.intensity=t.key,this.scene.environmentIntensity=t.room,this.sky.material.uniforms.zenith.value.set(t.zenith),this.sky.material.uniforms.horizon.value.set(t.horizon),this.ground.material.color.set(t.ground),this.ground.uniforms.line.value.set(t.line)}fit(e,t,n){this.extent=e,this.ground.position.z=t,this.ground.uniforms.cell.value=10**Math.round(Math.log10(e/3)),this.ground.uniforms.solid.value=n?1:0,this.ground.receiveShadow=n,this.ground.material.side=n?0:_n,this.ground.material.depthWrite=n,this.ground.material.needsUpdate=!0,this.ground.scale.setScalar(400*e),this.sky.scale.setScalar(300*e),this.camera.near=e*.01,this.camera.far=e*700,this.camera.updateProjectionMatrix()}lookAt(e,t){let n=Math.max(this.extent*1.5,Math.min(t*.9,this.extent*40));this.sun.target.position.copy(e),this.sun.position.set(...JA).normalize().multiplyScalar(n*3).add(e);let s=this.sun.shadow.camera;Math.abs(s.right-n)>.15*n&&(Object.assign(s,{left:-n,right:n,top:n,bottom:-n,near:n*.2,far:n*8}),s.updateProjectionMatrix(),this.sun.shadow.normalBias=6*n/this.sun.shadow.mapSize.width),this.sky.position.copy(this.camera.position),this.ground.position.x=e.x,this.ground.position.y=e.y,this.ground.uniforms.centre.value.set(e.x,e.y),this.ground.uniforms.fade.value=Math.max(t*3.2,this.extent*6)}resize(e,t){this.renderer.setSize(e,t,!1),this.camera.aspect=e/Math.max(1,t),this.camera.updateProjectionMatrix()}render(){this.renderer.render(this.scene,this.camera)}dispose(){this.renderer.dispose(),this.renderer.forceContextLoss()}};function KA(){let i=document.createElement("canvas").getContext("webgl2"),e=i?.getExtension("WEBGL_debug_renderer_info"),t=e?i.getParameter(e.UNMASKED_RENDERER_WEBGL):"";return i?.getExtension("WEBGL_lose_context")?.loseContext(),/swiftshader|llvmpipe|software|basic render/i.test(t)}function jA(){let i=new Si({side:Rn,depthWrite:!1,uniforms:{zenith:{value:new Ve},horizon:{value:new Ve}},vertexShader:"varying vec3 direction; void main() { direction = position; gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }",fragmentShader:`varying vec3 direction; uniform vec3 zenith; uniform vec3 horizon;
      void main() {
        float up = clamp(normalize(direction).z, 0.0, 1.0);
        gl_FragColor = vec4(mix(horizon, zenith, pow(up, 0.6)), 1.0);
        #include <colorspace_fragment>
      }`}),e=new xn(new Mi(1,24,16),i);return e.renderOrder=-2,e.frustumCulled=!1,e}function QA(){let i={line:{value:new Ve},cell:{value:1},fade:{value:10},solid:{value:1},grid:{value:1},centre:{value:{x:0,y:0,set(n,s){this.x=n,this.y=s}}}},e=new bi({roughness:.96,metalness:0,transparent:!0,envMapIntensity:.5,depthWrite:!0});e.onBeforeCompile=n=>{Object.assign(n.uniforms,i),n.vertexShader=n.vertexShader.replace("#include <common>",`#include <common>
varying vec3 atWorld;`).replace("#include <project_vertex>",`#include <project_vertex>
atWorld = (modelMatrix * vec4(position, 1.0)).xyz;`),n.fragmentShader=n.fragmentShader.replace("#include <common>",`#include <common>
        varying vec3 atWorld;
        uniform vec3 line; uniform float cell; uniform float fade; uniform float solid; uniform float grid; uniform vec2 centre;
        // How much of a pixel lines of this spacing cover. Lines thinner than a pixel grow fainter instead of flickering.
        float lines(vec2 p, float spacing, float width) {
          vec2 at = p / spacing;
          vec2 blur = fwidth(at);
          vec2 wide = max(vec2(width), blur * 1.2);
          vec2 off = abs(fract(at - 0.5) - 0.5);
          vec2 covered = smoothstep(wide + blur, wide - blur, off) * clamp(vec2(width) / wide * 2.4, 0.0, 1.0);
          return max(covered.x, covered.y) * (1.0 - smoothstep(0.25, 0.6, max(blur.x, blur.y)));
        }`).replace("#include <color_fragment>",`#include <color_fragment>
        float covered = grid * max(0.45 * lines(atWorld.xy, cell, 0.006), 0.9 * lines(atWorld.xy, cell * 10.0, 0.0016));
        diffuseColor.rgb = mix(diffuseColor.rgb, line, covered);
        float far = distance(atWorld.xy, centre) / fade;
        diffuseColor.a = (1.0 - smoothstep(0.25, 1.0, far)) * mix(covered, 1.0, solid);`)};let t=new xn(new Qi(1,1),e);return t.receiveShadow=!0,t.renderOrder=-1,t.uniforms=i,t}function eT(i){let e=new ys,t=new Ki({color:"#6f7780",side:Rn});e.add(new xn(new Mi(10,24,16),t));let n=(o,a,l,c,h)=>{let u=new xn(new Qi(c,c),new Ki({color:new Ve(h,h,h),side:_n}));u.position.set(o,a,l),u.lookAt(0,0,0),e.add(u)};n(0,0,8,8,3.2),n(7,-4,3,4,2.4),n(-7,3,3,4,1.6);let s=new Io(i),r=s.fromScene(e,.05,.1,100).texture;return s.dispose(),e.traverse(o=>{o.geometry?.dispose(),o.material?.dispose()}),r}var wx=24,Ax=.02,tT=.3;function Tx(i,e,t){let{main:n}=e,s=new vi,r=[],o=t(n.bodies),a=i.times.length-1;for(let l=0;l<=wx;l++){let c=i.at(i.times[Math.round(l*a/wx)]);n.bodies.update(c.poses,[[0,0,0]]);let h=n.bodies.bounds(0);if(!h)continue;let u=t(n.bodies).sub(o);s.expandByPoint(h[0].sub(u)),s.expandByPoint(h[1].sub(u));for(let f=1;f<n.bodies.count;f++){let d=12*f,{matrices:p}=n.bodies,x=i.scene.masses.find(g=>g.body===f)?.centre??[0,0,0],m=g=>p[d+4*g]*x[0]+p[d+4*g+1]*x[1]+p[d+4*g+2]*x[2]+p[d+4*g+3];r.push([m(0),m(1),m(2)],[p[d+3],p[d+7],p[d+11]])}}return{first:o,box:s.isEmpty()?null:[s.min,s.max],view:nT(r.filter(l=>l.every(Number.isFinite)))}}function nT(i){let e=i.length||1,t=[0,1,2].map(x=>i.reduce((m,g)=>m+g[x],0)/e),n=(x,m)=>i.reduce((g,v)=>g+(v[x]-t[x])*(v[m]-t[m]),0)/e,[s,r,o,a]=[n(0,0),n(1,1),n(0,1),n(2,2)],[l,c]=[.5*(s+r),Math.hypot(.5*(s-r),o)],[h,u,f]=[l+c,l-c,a].map(x=>Math.sqrt(Math.max(x,0)));if(!(u<=Ax*Math.max(h,f))||h<=Ax*f)return null;let d=.5*Math.atan2(2*o,s-r);return{azimuth:(Math.cos(d-Math.PI/2+.95)>=Math.cos(d+Math.PI/2+.95)?d-Math.PI/2:d+Math.PI/2)+tT,elevation:.16}}function Gh(i,e,t){let n=12*(e*i.count+t);return new k(i.matrices[n+3],i.matrices[n+7],.25*i.matrices[n+11])}var iT="#1f6fd6",Vh=class{constructor(e,t){this.recording=e,this.group=new Ht,this.trails=e.trails.map(n=>{let s=e.layers.findIndex(({name:l})=>l===n.layer),r=sT(e,s,n),o=new Jt;o.setAttribute("position",new Ot(new Float32Array(3*(e.times.length+1)),3)),o.setAttribute("color",new Ot(new Float32Array(4*(e.times.length+1)),4));let a=new ur(o,new Xs({vertexColors:!0,transparent:!0,toneMapped:!1,depthWrite:!1}));return a.frustumCulled=!1,a.renderOrder=3,this.group.add(a),{...n,layer:s,paths:r,line:a,colour:new Ve(t[s].colour??iT)}})}update(e,t){let{times:n}=this.recording,s=this.recording.indexAt(e);for(let{layer:r,body:o,point:a,seconds:l,paths:c,line:h,colour:u}of this.trails){let{position:f,color:d}=h.geometry.attributes,p=0,x=(m,g,v,E)=>{f.array.set([m,g,v],3*p),d.array.set([u.r,u.g,u.b,Math.max(0,1-E/l)],4*p++)};for(let m=this.recording.indexAt(e-l);m<=s;m++)x(c[3*m],c[3*m+1],c[3*m+2],e-n[m]);x(...Bn(t[r].bodies.matrices,12*o,a),0),f.needsUpdate=d.needsUpdate=!0,h.geometry.setDrawRange(0,p),h.visible=t[r].visible}}dispose(){for(let{line:e}of this.trails)e.geometry.dispose(),e.material.dispose();this.group.removeFromParent()}};function sT(i,e,{body:t,point:n}){let s=7*i.scene.bodies.length*i.worlds,r=new Float64Array(12),o=new Float32Array(3*i.times.length);for(let a=0;a<i.times.length;a++)js(i.poses[e],a*s+7*t,r,0),o.set(Bn(r,0,n),3*a);return o}var Ir=[1/32,1/16,1/8,1/4,1/2,1,2,4,8],Hh=class{constructor(e){this.viewer=e,this.play=Ai("Play (Space)","play",()=>e.togglePlay(),{class:"primary"}),this.time=ae("output",{class:"time","aria-label":"Time"}),this.scrub=ae("input",{type:"range",class:"scrub",min:0,max:1,step:"any",value:0,"aria-label":"Time shown [s]",oninput:()=>e.seek(Number(this.scrub.value))}),this.scrub.addEventListener("keydown",t=>{let n={ArrowRight:1,ArrowLeft:-1,ArrowUp:1,ArrowDown:-1,PageUp:10,PageDown:-10}[t.key];n&&(t.preventDefault(),e.step(n))}),this.speed=ae("select",{class:"speed","aria-label":"Speed, in simulated seconds a second",title:"Speed (− and =)",onchange:()=>e.setSpeed(Number(this.speed.value))},Ir.map(t=>ae("option",{value:String(t),text:t<1?`1/${1/t}×`:`${t}×`}))),this.rate=ae("output",{class:"rate",title:"How fast it really runs","aria-label":"True speed"}),this.edge=ae("button",{type:"button",class:"edge",text:"Live",title:"Go to the newest state and play",onclick:()=>e.playNewest()}),this.root=ae("div",{class:"transport",role:"toolbar","aria-label":"Time"},Ai("Reset (Backspace)","reset",()=>e.reset()),Ai("One step back (←)","back",()=>e.step(-1)),this.play,Ai("One step (→)","step",()=>e.step(1)),this.time,this.scrub,this.rate,this.speed,this.edge,this.plots=Ai("Plots (F3)","plots",()=>e.togglePlots(),{class:"plots-button"}),Ai("Panels (Tab)","panels",()=>e.togglePanels(),{class:"panels-button"}),Ai("Help (F1)","help",()=>e.toggleHelp()))}update(e,t){let n=t.playing;xg(this.play,n?"Pause (Space)":"Play (Space)",n?"pause":"play"),this.root.dataset.playing=n,is(this.time,`${e.time.toFixed(t.live?2:3)} s`),(!Ts(this.scrub)||n)&&(this.scrub.min=e.first,this.scrub.max=Math.max(e.last,e.first+.001),this.scrub.value=e.time),this.scrub.setAttribute("aria-valuetext",`${e.time.toFixed(3)} seconds`);let s=this.scrub.max-this.scrub.min;this.scrub.style.setProperty("--part",`${s>0?100*(e.time-this.scrub.min)/s:0}%`),is(this.rate,n?`${e.rate.toFixed(e.rate<.1?3:2)}×`:"paused"),this.edge.hidden=!t.live,this.plots.hidden=t.settings.channels.length===0,this.edge.dataset.on=e.edge&&n;let r=String(Ir.reduce((o,a)=>Math.abs(Math.log(a/t.speed))<Math.abs(Math.log(o/t.speed))?a:o));this.speed.value!==r&&!Ts(this.speed)&&(this.speed.value=r)}};function Ld(i,e){let t=Math.ceil(Math.sqrt(i));return Array.from({length:i},(n,s)=>[s%t*e,Math.floor(s/t)*e,0])}var rT=new Ve("#d6336c"),Ex=["visual","collision","both"],oT=14e3,Wh=class{constructor(e,{theme:t=null,panels:n=null,quality:s=null,plain:r=!1,onTime:o=null}={}){this.root=e,this.plain=r,this.onTime=o,this.ended=new AbortController,this.embedded=!document.documentElement.classList.contains("gradbody-page"),this.shown={points:!0,forces:!0,frames:!1,centres:!1,inertia:!1,axes:!1,transparent:!1,shadows:!0,grid:!0},this.roles="visual",this.larger=1,this.worlds=1,this.followed=0,this.offsets=[[0,0,0]],this.selected={world:0,body:null},this.moment=null,this.stats={frames:0,script:0},this.theme=t,this.quality=s??new URLSearchParams(location.search).get("quality"),this.build(n)}build(e){this.canvas=ae("canvas",{tabindex:0,class:"scene","aria-label":"Scene in three dimensions. Keys: F1 for help."}),this.info=ae("div",{class:"info",role:"status","aria-live":"off"}),this.title=ae("strong",{}),this.facts=ae("span",{class:"facts-line"}),this.caption=ae("span",{class:"caption"}),this.info.append(this.title,this.facts,this.caption),this.hint=ae("div",{class:"hint",hidden:!0}),this.note=ae("div",{class:"note-line",role:"status",hidden:!0}),this.problem=ae("div",{class:"problem",role:"alert",hidden:!0}),this.legend=ae("div",{class:"legend","aria-label":"What contact marks mean",hidden:!0}),this.label=ae("div",{class:"pull-label",hidden:!0}),this.cover=ae("div",{class:"cover",role:"status"},ae("p",{text:"Loading…"})),this.ghosts=ae("div",{class:"ghosts",role:"group","aria-label":"Motions",hidden:!0}),this.transport=new Hh(this),this.panels=new yh(this),this.plots=new Oh(this),this.root.classList.add("gradbody-viewer"),this.view=ae("div",{class:"view"},this.canvas,this.info,this.ghosts,this.legend,this.label,this.hint,this.note,this.problem,this.cover),this.root.replaceChildren(ae("div",{class:"middle"},this.plots.root,this.view,this.panels.root),this.transport.root),this.panels.root.hidden=e===null?this.embedded||this.root.clientWidth<760:!e;try{this.stage=new kh(this.canvas,this.quality)}catch{throw this.fail("This browser has no WebGL, which the scene is drawn with. Try another browser, or turn on hardware acceleration.")}this.orbit=new hh(this.stage.camera),this.contacts=new uh,this.spring=new li({through:!0}),this.stage.scene.add(this.contacts.group,this.spring.group),this.pointer=new fh(this.canvas,this),Cg(this.embedded?this.root:document,this.canvas,this,this.ended.signal);let t=matchMedia("(prefers-color-scheme: dark)"),n=()=>{let s=this.theme??(t.matches?"dark":"light");this.root.dataset.theme=s,this.stage.setTheme(s),this.needsDrawing()};t.addEventListener("change",n,{signal:this.ended.signal}),n(),this.observer=new ResizeObserver(()=>this.fitSize()),this.observer.observe(this.view),this.canvas.addEventListener("webglcontextlost",s=>{s.preventDefault(),!this.disposed&&this.fail("The graphics card was lost. Load the page again.")}),this.visible=!0,this.sight=new IntersectionObserver(([s])=>{this.visible=s.isIntersecting,this.needsDrawing()}),this.sight.observe(this.root),this.loop=this.loop.bind(this),requestAnimationFrame(this.loop)}async openRecording(e,t=null,n=null){let s=await vx(e,t);if(this.source=new vh(s),this.plain||(this.title.textContent=s.header.title??s.scene.name,this.caption.textContent=s.header.caption??""),this.setScene(s.scene,s.worlds),n)return this.goOn(n);(s.header.plots?.length||s.changes.length)&&!this.embedded&&this.root.clientWidth>=1e3&&this.plots.show(!0),this.source.play(!matchMedia("(prefers-reduced-motion: reduce)").matches&&s.times.length>1)}get kept(){let{time:e,playing:t,speed:n}=this.source,{azimuth:s,elevation:r,distance:o,target:a}=this.orbit,l=this.layers.layers.filter(c=>!c.visible).map(c=>c.name);return{time:e,playing:t,speed:n,camera:this.looked?{azimuth:s,elevation:r,distance:o}:null,target:a.toArray(),hidden:l}}goOn({time:e,playing:t,speed:n,camera:s,target:r,hidden:o}){Object.assign(this.source,{time:e,playing:t,speed:n}),s&&(Object.assign(this.orbit,s),this.orbit.target.set(...r),this.looked=!0);for(let a of o)this.showLayer(a,!1);this.needsDrawing()}openSocket(e){this.source=new xh(e,{scene:t=>{this.pendingScene=t,this.title.textContent=t.name},settings:t=>this.applySettings(t),state:t=>this.connection(t),problem:t=>this.fail(t)})}connection(e){this.root.dataset.connection=e,e!=="open"&&(this.cover.hidden=!1,this.cover.firstChild.textContent=e==="connecting"?"Connecting…":"The simulation has gone. Waiting for it…",this.cover.dataset.kind=e)}applySettings(e){e.error?this.fail(e.error):this.problem.hidden=!0,e.message&&e.message!==this.lastMessage&&this.say(e.message),this.lastMessage=e.message,Number.isInteger(e.followed)&&e.followed!==this.followed&&e.followed<this.worlds&&(this.followed=e.followed,this.lookFromFollowed=!0),this.plots.channelsChanged(),this.panels.settingsChanged(e),this.needsDrawing()}setScene(e,t){let n=!!this.scene,s=JSON.stringify([e.bodies,e.joints.map(({name:c,limits:h})=>[c,h]),e.actuators,e.keyframes,e.notes,t]),r=s===this.structure;this.structure=s;let o=[...r?this.overlays.trails.keys():[]];this.scene=e,this.worlds=t,this.offsets=Ld(t,1),this.layers?.dispose(),this.overlays?.dispose(),this.vectors?.dispose(),this.effects?.dispose(),this.paths?.dispose(),this.shapes?.dispose(),this.shapes=new zh(e.meshes,{high:1,low:.7,draft:.3}[this.stage.quality]);let{recording:a}=this.source,l=a?.layers??[{name:e.name,ghost:!1,colour:null}];this.moment=this.source.take(),this.layers=new gh(l,e,this.shapes,t,this.lookOptions()),this.overlays=new _h(e),Object.assign(this.overlays.shown,this.shown),this.stage.scene.add(this.layers.group,this.overlays.group),a?.arrows.length?(this.vectors=new ch(a.arrows,e),this.stage.scene.add(this.vectors.group)):this.vectors=null,this.effects=a?.effectSites.length?new dh(a.effectSites,a.effects):null,this.paths=a?.trails.length?new Vh(a,this.layers.layers):null;for(let c of[this.effects,this.paths])c&&this.stage.scene.add(c.group);this.measure(a),this.nameLayers(),n||this.frameAll(),this.plots.channelsChanged(),r||(this.selected={world:0,body:null},this.panels.build());for(let c of o)this.overlays.trail(c,!0);this.layers.main.bodies.highlight(this.selected.world,this.selected.body),this.panels.refresh(),this.cover.hidden=!0,this.root.dataset.scene=e.name,n||this.startHint(),this.needsDrawing()}measure(e){this.place(this.moment);let[t,n]=this.layers.main.bodies.bounds(0)??[new k(-.5,-.5,0),new k(.5,.5,1)];this.extent=Math.max(n.clone().sub(t).length()*.62,.001),this.triangles=this.layers.main.bodies.batches.reduce((a,{mesh:l})=>a+l.count*(l.geometry.index??l.geometry.attributes.position).count/3,0),this.offsets=Ld(this.worlds,1.8*this.extent),e&&this.worlds===1&&(this.surveyed=Tx(e,this.layers,a=>Gh(a,0,Math.min(this.scene.bodies.length-1,1))));let s=this.surveyed?.box?.[0].z??t.z,r=this.scene.ground;this.stage.fit(this.extent,r??Math.min(s,0)-.001*this.extent,r!==null);let o=9.81*this.scene.masses.reduce((a,l)=>a+(l.mass||0),0);this.contacts.fit(this.extent,o),this.overlays.extent=this.extent,this.layers.layers.forEach(a=>a.bodies.extent=this.extent),this.vectors?.fit(this.extent,e),this.effects&&(this.effects.extent=this.extent),this.weight=o,this.place(this.moment)}lookOptions(){return{roles:this.roles,transparent:this.shown.transparent,extent:this.extent??1}}nameLayers(){let{layers:e}=this.layers;this.ghosts.hidden=e.length<2,!(e.length<2)&&this.ghosts.replaceChildren(...e.map(t=>{let n=ae("span",{class:`swatch${t.look?.hatched?" hatched":""}${t.look?"":" own"}`});n.style.setProperty("--swatch",t.colour??"var(--muted)");let s=ae("button",{type:"button","aria-pressed":String(t.visible),title:`Show or hide: ${t.name}`,onclick:()=>this.showLayer(t.name,!t.visible)},n,t.name);return s.dataset.layer=t.name,s}))}showLayer(e,t){this.layers.show(e,t);for(let n of this.ghosts.children)n.dataset.layer===e&&n.setAttribute("aria-pressed",String(t));this.panels.refresh(),this.needsDrawing()}relook(){this.layers.rebuild(this.scene,this.shapes,this.worlds,this.lookOptions()),this.hovered=void 0,this.needsDrawing()}frameAll(){if(!this.layers)return;let e=this.worlds===1?this.surveyed?.box:null,[t,n]=e??this.layers.main.bodies.bounds(this.followed)??[new k(-.5,-.5,0),new k(.5,.5,1)],s=t.clone().add(n).multiplyScalar(.5);e&&s.add(Gh(this.layers.main.bodies,0,Math.min(this.scene.bodies.length-1,1)).sub(this.surveyed.first));let r=e?Math.max(.7*this.extent,(this.surveyed.view?.42:.5)*n.clone().sub(t).length()):this.extent;if(this.worlds>1){let o=this.offsets[this.worlds-1],a=Math.ceil(Math.sqrt(this.worlds)),l=this.offsets[a-1]?.[0]??0;this.followed===0&&s.add(new k(l/2,o[1]/2,0)),r=Math.max(this.extent,.45*Math.hypot(l+this.extent,o[1]+this.extent))}this.orbit.frame(s,r),this.orbit.extent=this.extent,this.worlds>1&&(this.orbit.elevation=.55),Object.assign(this.orbit,this.surveyed?.view),this.needsDrawing()}place(e){if(!e)return;let{bodies:t}=this.layers.main;this.layers.update(e.layers??[e.poses],this.offsets),this.contacts.showPoints=this.shown.points,this.contacts.showForces=this.shown.forces,this.contacts.larger=this.larger,this.contacts.update(e.contacts,this.offsets),this.overlays.update(t,this.followed),this.overlays.extendTrails(t,this.followed,e.time),this.vectors&&(this.vectors.larger=this.larger,this.vectors.update(e.vectors,t)),this.effects&&(this.effects.larger=this.larger,this.effects.update(e.effects,t)),this.paths?.update(e.time,this.layers.layers),this.placeSpring(e)}placeSpring(e){let[t,,n,s,r,o,a,l]=e.drag;this.spring.begin();let c=this.offsets[this.followed]??[0,0,0],h=this.pointer.pull??this.keyPull;if(t>0||h){let u=t>0?[n+c[0],s+c[1],r+c[2]]:h.point,f=h?.target??u.map((d,p)=>d+[o,a,l][p]*this.contacts.scale);this.spring.add(u,f.map((d,p)=>d-u[p]),.008*this.extent,rT),this.pulling={anchor:u,target:f,force:t>0?[o,a,l]:[0,0,0],bounded:t===2}}else this.pulling=null;this.spring.end()}needsDrawing(){this.stale=!0}loop(e){if(this.disposed)return;requestAnimationFrame(this.loop);let t=Math.min(.1,(e-(this.lastTime??e))/1e3);this.lastTime=e,!(!this.source||this.frozen||!this.visible)&&(this.source.live?this.source.fresh&&(this.stale=!0):this.source.playing&&(this.source.advance(t),this.stale=!0),(this.keyPull||this.filming)&&(this.stale=!0),!(!this.stale||document.hidden)&&(this.drawNow(t),this.filming?.frame(e)))}drawNow(e){let t=performance.now(),n=this.source.take();if(this.pendingScene&&n&&n.bodies===this.pendingScene.bodies.length){let r=this.pendingScene;this.pendingScene=null,this.setScene(r,n.worlds)}if(!n||!this.scene||this.pendingScene)return;if(n.worlds!==this.worlds||n.bodies!==this.scene.bodies.length){if(n.bodies!==this.scene.bodies.length)return;this.setScene(this.scene,n.worlds)}this.stale=!1,this.moment=n,this.place(n),this.followBody(e),this.orbit.update(),this.stage.lookAt(this.orbit.target,this.orbit.distance),this.describe(n),this.transport.update(n,this.source),this.panels.update(n),this.plots.update(n),this.onTime?.(n.time),this.cover.hidden=this.source.live&&this.root.dataset.connection!=="open"?this.cover.hidden:!0;let s=performance.now();this.stage.render(),this.stats.frames+=1,this.stats.script+=s-t,this.stats.calls=this.stage.renderer.info.render.calls,this.stats.triangles=this.stage.renderer.info.render.triangles}followBody(e){let t=Math.min(this.scene.bodies.length-1,1),n=12*(this.followed*this.scene.bodies.length+t),{matrices:s}=this.layers.main.bodies,r=Gh(this.layers.main.bodies,this.followed,t);if(Number.isFinite(r.x+r.y+r.z)){if(this.pointer.pull){this.orbit.lead=null;return}this.lookFromFollowed&&(this.lookFromFollowed=!1,this.orbit.target.set(s[n+3],s[n+7],s[n+11]),this.orbit.distance=Math.min(this.orbit.distance,3*this.extent),this.orbit.lead=null),this.orbit.follow(r,e,!this.source.playing)}}describe(e){let t=e.contacts.length/8,n=[];Number.isFinite(e.energy)&&n.push(`${e.energy.toFixed(Math.abs(e.energy)<10?3:1).replace("-","−")} J`),t>0&&n.push(`${t} ${t===1?"contact":"contacts"}`),this.worlds>1&&n.push(`world ${this.followed+1} of ${this.worlds}`),is(this.facts,n.join("  ·  ")),this.describeLegend(e);let{pulling:s}=this;if(this.label.hidden=!s,s){let r=new k(...s.target).project(this.stage.camera);this.label.style.translate=`${(.5+r.x/2)*this.view.clientWidth+14}px ${(.5-r.y/2)*this.view.clientHeight-30}px`;let o=Math.hypot(...s.force);is(this.label,e.paused?"paused: press Space":`${ci(o)} N${s.bounded?" (its limit)":""}`),this.label.dataset.bounded=s.bounded}}describeLegend(e){let t=new Set;for(let r=6;r<e.contacts.length;r+=8)t.add(e.contacts[r]);let n=this.shown.points||this.shown.forces?[...t].sort().join()+this.larger:"";if(n===this.legendKey)return;this.legendKey=n,this.legend.hidden=n===""||t.size===0;let s=["touching","sticking","sliding"];this.legend.replaceChildren(...[1,2,0].filter(r=>t.has(r)).map(r=>{let o=ae("span",{class:`mark mark-${s[r]}`});return o.style.setProperty("--mark",`#${Lo[r].getHexString()}`),ae("span",{},o,s[r])}),ae("span",{class:"scale",text:this.shown.forces?`${ci(this.extent/(this.contacts.scale*this.larger*this.extent),2)} N a metre`:""}))}fitSize(){if(this.frozen)return;let{clientWidth:e,clientHeight:t}=this.view;e===0||t===0||(this.stage.resize(e,t),this.scene&&!this.looked&&this.frameAll(),this.scene&&this.drawNow(0))}freeze(e,t){this.frozen=!0,this.stage.renderer.setPixelRatio(1),this.stage.resize(e,t),this.scene&&this.frameAll()}togglePlay(){this.source.play(!this.source.playing),this.userDid("play"),this.needsDrawing()}playNewest(){this.source.playNewest(),this.needsDrawing()}step(e){this.source.step(e),this.needsDrawing()}seek(e){this.source.seek(e),this.needsDrawing()}reset(){this.source.reset(),this.problem.hidden=!0,this.needsDrawing()}setSpeed(e){this.source.setSpeed(e),this.needsDrawing()}changeSpeed(e){let t=Ir.reduce((n,s,r)=>Math.abs(Math.log(s/this.source.speed))<Math.abs(Math.log(Ir[n]/this.source.speed))?r:n,0);this.setSpeed(Ir[Math.min(Ir.length-1,Math.max(0,t+e))])}select(e,t){this.worlds>1&&e!==this.followed&&t!==null&&this.follow(e),this.selected={world:e,body:t},this.layers.main.bodies.highlight(e,t),this.panels.refresh(),this.needsDrawing()}selectNext(e){let t=this.scene.bodies.length-1,n=this.selected.body??(e>0?0:1);this.select(this.followed,(n-1+e+t)%t+1),this.say(this.scene.bodies[this.selected.body])}hover(e){let t=e&&e.body>0?e:null;this.canvas.style.cursor=t?this.source?.live&&t.world===this.followed?"grab":"pointer":"";let n=t?`${t.world} ${t.body}`:null;!this.layers||n===this.hovered||(this.hovered=n,t?this.layers.main.bodies.highlight(t.world,t.body):this.layers.main.bodies.highlight(this.selected.world,this.selected.body),this.canvas.title=t?this.scene.bodies[t.body]:"",this.needsDrawing())}follow(e){this.followed=e,this.source.send({follow:e}),this.lookFromFollowed=!0,this.panels.refresh(),this.needsDrawing()}setFollowing(e){this.orbit.following=e,this.panels.refresh()}lookAt(e){this.looked=!0,this.orbit.target.set(...e),this.needsDrawing()}turn(e,t){this.looked=!0,this.orbit.turn(e,t),this.needsDrawing()}nearer(e){this.looked=!0,this.orbit.nearer(e),this.needsDrawing()}toggle(e){this.shown[e]=!this.shown[e],e==="transparent"&&this.relook(),e==="shadows"&&(this.stage.sun.castShadow=this.shown.shadows),e==="grid"&&(this.stage.ground.uniforms.grid.value=this.shown.grid?1:0),Object.assign(this.overlays.shown,this.shown),this.panels.refresh(),this.legendKey=null,this.needsDrawing()}nextRoles(){this.setRoles(Ex[(Ex.indexOf(this.roles)+1)%3]),this.say({visual:"Visual geometry",collision:"Collision geometry",both:"Visual and collision geometry"}[this.roles])}setRoles(e){this.roles=e,this.relook(),this.panels.refresh()}setLarger(e){this.larger=e,this.needsDrawing()}toggleTrail(){let{body:e}=this.selected;if(e===null)return this.say("Choose a body first: click on it.");this.overlays.trail(e,!this.overlays.trails.has(e)),this.panels.refresh(),this.needsDrawing()}pullByKeys(e,t,n){let{body:s}=this.selected;if(s===null)return this.say("Choose a body first: press ].");if(!this.source.live)return;let r=12*(this.followed*this.scene.bodies.length+s),{matrices:o}=this.layers.main.bodies,a=this.scene.masses.find(d=>d.body===s)?.centre??[0,0,0],l=[0,1,2].map(d=>o[r+4*d]*a[0]+o[r+4*d+1]*a[1]+o[r+4*d+2]*a[2]+o[r+4*d+3]),[c,h]=[Math.sin(this.orbit.azimuth),Math.cos(this.orbit.azimuth)],u=[-c*e-h*t,h*e-c*t,n],f=l.map((d,p)=>d+.6*this.extent*u[p]);this.keyPull={body:s,point:l,inBody:a,target:f},this.source.send({drag:{body:s,point:a,target:f.map((d,p)=>d-this.offsets[this.followed][p])}}),this.userDid("drag")}endPullByKeys(){this.keyPull&&(this.keyPull=null,this.source.send({release:!0}),this.needsDrawing())}dragged(){this.userDid("drag"),this.needsDrawing()}togglePlots(){this.plots.show(!this.plots.shown),this.plots.shown&&this.plots.search.focus()}togglePanels(){this.panels.root.hidden=!this.panels.root.hidden,this.moment&&this.panels.update(this.moment)}enterPanels(){this.panels.root.hidden=!1,this.panels.root.querySelector("select, input, button, summary")?.focus()}toggleInfo(){this.info.hidden=!this.info.hidden}toggleHelp(){if(this.help?.open)return this.help.close();this.help?.remove(),this.help=Ig(this.source?.live),this.root.append(this.help),this.help.addEventListener("close",()=>this.canvas.focus()),this.help.showModal()}toggleFullScreen(){document.fullscreenElement?document.exitFullscreen():this.root.requestFullscreen?.()}escape(){if(this.help?.open)return this.help.close();if(!Ts(this.canvas))return this.canvas.focus();this.select(this.followed,null)}get fileName(){return(this.scene?.name??"scene").replace(/[^\w.-]+/g,"_")}async savePicture(){this.drawNow(0),Qa(`${this.fileName}.png`,await Tg(this.canvas),"image/png")}async saveScene(){Qa(`${this.fileName}.glb`,await Eg(this),"model/gltf-binary")}saveChannels(){Qa(`${this.fileName}.csv`,this.plots.csv(),"text/csv")}async saveVideo(){try{if(this.filming){let e=this.filming;this.filming=null,this.panels.refresh(),Qa(`${this.fileName}.webm`,await e.end(),"video/webm")}else this.filming=new ph(this.canvas),this.panels.refresh()}catch(e){this.filming=null,this.panels.refresh(),this.fail(e.message)}}startHint(){let t=this.source.live?["Drag a body to pull it","drag the background to turn","Space plays and pauses"]:["Space plays and pauses","drag to turn","click on a plot or the bar to go there"];this.hint.replaceChildren(...t.map(n=>ae("span",{text:n}))),this.hint.hidden=this.embedded,this.hintDone=new Set,this.canvas.addEventListener("pointerdown",()=>this.userDid("touch"))}userDid(e){this.hint.hidden||(this.hintDone.size===0&&setTimeout(()=>this.hint.hidden=!0,oT),this.hintDone.add(e),this.hintDone.has("drag")&&setTimeout(()=>this.hint.hidden=!0,2500))}say(e,t=6e3){clearTimeout(this.noteTimer),this.note.textContent=e,this.note.hidden=!1,t!==null&&(this.noteTimer=setTimeout(()=>this.note.hidden=!0,t))}fail(e){return this.problem.textContent=e,this.problem.hidden=!1,this.scene||(this.cover.hidden=!0),new Error(e)}drawn(e=null){let{bodies:t}=e===null?this.layers.main:this.layers.layers.find(n=>n.name===e);return t.drawn().map(n=>{let s=this.offsets[n.world],r=[0,1,2].map(o=>n.matrix[12+o]-s[o]);return{...n,position:r}})}onPage(e){let t=new k(...e).project(this.stage.camera),{left:n,top:s,width:r,height:o}=this.canvas.getBoundingClientRect();return[n+(.5+t.x/2)*r,s+(.5-t.y/2)*o]}dispose(){this.disposed=!0,this.ended.abort(),clearTimeout(this.noteTimer),clearTimeout(this.panels.later),this.source?.dispose(),this.plots.dispose(),this.observer.disconnect(),this.sight?.disconnect(),this.layers?.dispose(),this.effects?.dispose(),this.paths?.dispose(),this.shapes?.dispose(),this.stage.dispose(),this.root.replaceChildren()}};window.gradbodyView=async function(e,{recording:t,scene:n,socket:s,kept:r,...o}){let a=new Wh(e,o);e.gradbodyViewer=window.gradbodyViewer=a;let l=new URLSearchParams(location.search);try{t?await a.openRecording(t,n,r):a.openSocket(s)}catch(c){if(a.source=null,a.fail(c.message),!l.has("video"))return a}return l.has("video")&&await jd(a,l),a};})();
